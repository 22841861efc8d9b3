import { listReplies, MAX_REPLIES_PER_TICKET, readTicket, type Ticket, type TicketReply } from '#contract/tickets.ts'
import { collect } from '../../call/client.ts'
import { clientCommand } from '../../call/client-command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { printable, printableLines } from '../../terminal/printable.ts'
import { type Pair, toPairs } from '../../terminal/table.ts'
import { nameOf } from './person.ts'

export const { run } = clientCommand(async (client, [alias, ticket_id], _, cli) => {
  const ticket = await client.call(readTicket, { alias, ticket_id })
  const { items } = await collect(client, listReplies, { alias, ticket_id }, MAX_REPLIES_PER_TICKET)
  const replies = items.toReversed()
  const text = [
    ...toPairs(describe(ticket, cli)),
    '',
    printableLines(ticket.body),
    ...replies.flatMap((reply) => ['', cli.strong(headOf(reply, cli)), printableLines(reply.body)]),
  ]
  return { document: { ...ticket, replies }, text }
})

function describe({ id, title, status, reporter, created_at, updated_at }: Ticket, cli: Cli): Pair[] {
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
