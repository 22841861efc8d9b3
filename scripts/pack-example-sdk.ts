import { writeFileSync } from 'node:fs'
import { EXAMPLE_SDK, exampleSdk } from './example-sdk.ts'

/** `npm run example:sdk` packs the worker SDK into the example app. Run it when its test says so. */
writeFileSync(EXAMPLE_SDK, await exampleSdk())
console.log(EXAMPLE_SDK)
