import { moveTicket, type TicketStatus } from '#contract/tickets.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'

type Args = [alias: string, ticket: string, status: TicketStatus]

export async function run([alias, ticket_id, status]: Args, flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const ticket = await client.call(moveTicket, { alias, ticket_id, status })
  show(cli, flags.output, ticket, () => `${ticket.id} is ${ticket.status}.`)
}
