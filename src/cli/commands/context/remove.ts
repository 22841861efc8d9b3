import type { Cli } from '../../cli.ts'
import { forget } from '../../forget.ts'

export async function run([name]: [string], _: object, cli: Cli): Promise<void> {
  await forget(name, cli)
}
