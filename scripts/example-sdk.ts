import { join } from 'node:path'
import { bundleSdk } from './pack-sdk.ts'

/** The worker SDK in the example app, which the first start deploys without npm. */
export const EXAMPLE_SDK = join(import.meta.dirname, '..', 'examples', 'hello', 'svc-worker-sdk.js')

/** Returns what the file must contain. */
export async function exampleSdk(): Promise<string> {
  return `// The worker SDK of svc in one file. It is made by npm run example:sdk: do not edit it.\n${await bundleSdk()}`
}
