import type { Cli } from '../../../cli.ts'
import { type ActFlags, act } from './act.ts'

export async function run([alias, id]: [string, string], flags: ActFlags, cli: Cli): Promise<void> {
  await act('approve', { alias, id }, flags, cli)
}
