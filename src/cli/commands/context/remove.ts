import { forget } from '../../login/forget.ts'
import type { Cli } from '../../terminal/cli.ts'

export async function run([name]: [string], _: object, cli: Cli): Promise<void> {
  await forget(name, cli)
}
