import type { Cli } from '../../../terminal/cli.ts'
import { type ActFlags, act } from './act.ts'

export async function run([alias, id]: [string, string], flags: ActFlags, cli: Cli): Promise<void> {
  await act('retry', { alias, id }, flags, cli)
}
