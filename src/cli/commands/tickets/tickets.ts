import { fileTicket, listTickets, moveTicket, replyToTicket, type TicketStatus } from '#contract/tickets.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'
import { HintedError } from '../../command/hinted-error.ts'
import type { Cli } from '../../terminal/cli.ts'
import { nameOf } from './person.ts'

type Filter = { status?: TicketStatus; mine?: boolean }

export const list = listCommand(listTickets, {
  label: 'Listing tickets',
  input: ([alias], { status, mine }: Filter) => ({ alias, ...(status && { status }), ...(mine && { mine }) }),
  header: ['ID', 'STATUS', 'FILED', 'BY', 'TITLE'],
  cut: ['TITLE', 'BY'],
  row: ({ id, status, created_at, reporter, title }, cli) => [
    id,
    status,
    cli.time(created_at),
    nameOf(reporter),
    title,
  ],
  none: ([alias], { status, mine }) => (status || mine ? 'No ticket matches.' : `You see no tickets of ${alias}.`),
})

export const file = callCommand(fileTicket, {
  input: async ([alias, title], flags: { body?: string }, _, cli) => ({
    alias,
    title,
    body: await readText(flags.body, cli),
  }),
  once: true,
  text: ({ id }, [alias]) => `Filed ${id} on ${alias}.`,
})

export const reply = callCommand(replyToTicket, {
  input: async ([alias, ticket_id], flags: { body?: string; internal?: boolean }, _, cli) => ({
    alias,
    ticket_id,
    body: await readText(flags.body, cli),
    internal: flags.internal === true,
  }),
  once: true,
  text: ({ internal }, [, ticket]) =>
    `Replied to ${ticket} ${internal ? 'internally, which notifies nobody' : 'publicly'}.`,
})

export const move = callCommand(moveTicket, {
  input: ([alias, ticket_id, status]: [string, string, TicketStatus]) => ({ alias, ticket_id, status }),
  text: ({ id, status }) => `${id} is ${status}.`,
})

/** Returns the text of --body, or what stands on standard input when it is not a terminal. */
async function readText(body: string | undefined, cli: Cli): Promise<string> {
  if (body !== undefined) return body
  const text = cli.interactive ? '' : await cli.readStdin()
  if (text.trim() !== '') return text
  throw new HintedError('INVALID_REQUEST', 'There is no text.', 'Give it with --body, or on standard input.')
}
