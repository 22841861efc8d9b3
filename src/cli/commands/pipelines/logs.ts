import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { lineOf } from './line.ts'
import { readLines } from './read-lines.ts'

export async function run(
  [alias, name, run_id]: [string, string, string],
  flags: OutputFlags & LoginFlags,
  cli: Cli,
): Promise<void> {
  const client = await openClient(flags, cli)
  const { lines } = await cli.progress('Reading the log', readLines(client, { alias, name, run_id }))
  show(cli, flags.output, { lines }, () => lines.map(lineOf))
  if (lines.length === 0) cli.note('The run logged nothing.')
}
