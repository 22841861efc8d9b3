import { listTickets, type TicketStatus } from '#contract/tickets.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'
import { nameOf } from './person.ts'

type Flags = OutputFlags & LoginFlags & { status?: TicketStatus; mine?: boolean; limit?: number }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const filter = { ...(flags.status && { status: flags.status }), ...(flags.mine && { mine: true }) }
  const tickets = collect(client, listTickets, { alias, ...filter }, flags.limit)
  showList(cli, flags.output, await cli.progress('Listing tickets', tickets), {
    header: ['ID', 'STATUS', 'FILED', 'BY', 'TITLE'],
    cut: ['TITLE', 'BY'],
    row: ({ id, status, created_at, reporter, title }) => [id, status, cli.time(created_at), nameOf(reporter), title],
    none: Object.keys(filter).length > 0 ? 'No ticket matches.' : `You see no tickets of ${alias}.`,
  })
}
