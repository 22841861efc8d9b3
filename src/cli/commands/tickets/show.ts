import { listReplies, MAX_REPLIES_PER_TICKET, readTicket, type Ticket, type TicketReply } from '#contract/tickets.ts'
import { collect, openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { printable, printableLines } from '../../terminal/printable.ts'
import { toPairs } from '../../terminal/table.ts'
import { nameOf } from './person.ts'

type Args = [alias: string, ticket: string]

export async function run([alias, ticket_id]: Args, flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const ticket = await client.call(readTicket, { alias, ticket_id })
  const { items } = await collect(client, listReplies, { alias, ticket_id }, MAX_REPLIES_PER_TICKET)
  const replies = items.toReversed()
  show(cli, flags.output, { ...ticket, replies }, () => [
    ...toPairs(describe(ticket, cli)),
    '',
    printableLines(ticket.body),
    ...replies.flatMap((reply) => ['', cli.strong(headOf(reply, cli)), printableLines(reply.body)]),
  ])
}

function describe({ id, title, status, reporter, created_at, updated_at }: Ticket, cli: Cli): [string, string][] {
  return [
    ['Ticket', id],
    ['Title', title],
    ['Status', status],
    ['Filed by', nameOf(reporter)],
    ['Filed', cli.time(created_at)],
    ['Updated', cli.time(updated_at)],
  ]
}

function headOf({ author, created_at, internal }: TicketReply, cli: Cli): string {
  return `${printable(nameOf(author))}, ${cli.time(created_at)}${internal ? ', internal' : ''}`
}
