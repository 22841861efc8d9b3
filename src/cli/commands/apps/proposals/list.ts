import { listProposals } from '#contract/maintenance/proposals.ts'
import { collect, openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing proposals', collect(client, listProposals, { alias }, flags.limit))
  showList(cli, flags.output, list, {
    header: ['PROPOSAL', 'STATUS', 'SUMMARY', 'CREATED'],
    row: ({ id, status, summary, created_at }) => [id, status, printable(summary), cli.time(created_at)],
    none: `The maintenance agent has proposed nothing for ${alias}.`,
  })
}
