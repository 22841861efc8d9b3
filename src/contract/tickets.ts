import { z } from 'zod'
import { Alias, byBuilder } from './apps/app-access.ts'
import { byMember } from './core/access.ts'
import { jsonGet, jsonPost, jsonPut } from './core/methods.ts'
import { operation } from './core/operation.ts'
import { listOf, pageInput } from './core/paging.ts'
import { subjectLine } from './core/subject-line.ts'

/** A person can have this many tickets on one app that are not done. It stops a script that files in a loop. */
export const MAX_UNDONE_TICKETS = 100
export const MAX_REPLIES_PER_TICKET = 1_000
const MAX_TITLE_CHARACTERS = 200
const MAX_TEXT_CHARACTERS = 16_000

export const TICKET_STATUSES = ['open', 'in_progress', 'done'] as const
export const TicketStatus = z.enum(TICKET_STATUSES)
export type TicketStatus = z.infer<typeof TicketStatus>

/** Stands in subjects of notifications and in tables, so it is made one visible line. */
const Title = z
  .string()
  .max(MAX_TITLE_CHARACTERS)
  .overwrite(subjectLine)
  .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, 'must contain a visible character')
  .describe('One line')
const Text = z.string().trim().min(1).max(MAX_TEXT_CHARACTERS)
const TicketId = z.string().max(100).describe('`id` of a ticket')

const TicketPerson = z.object({
  user_id: z.string(),
  display_name: z.string().nullable().describe('Null if the person has left, or if the auth service cannot be asked'),
})

const TicketSummary = z.object({
  id: z.string(),
  app: z.string().describe('Alias of the app'),
  title: z.string(),
  status: TicketStatus,
  reporter: TicketPerson.nullable().describe('Null: vendor staff in a support session'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime().describe('When it was filed, publicly replied to or moved'),
})
export const Ticket = TicketSummary.extend({ body: z.string() })
export type Ticket = z.infer<typeof Ticket>

export const TicketReply = z.object({
  id: z.string(),
  author: TicketPerson.nullable().describe('Null: vendor staff in a support session'),
  internal: z.boolean().describe('True: hidden from a reporter without a part in the app, and notifies nobody'),
  body: z.string(),
  created_at: z.iso.datetime(),
})
export type TicketReply = z.infer<typeof TicketReply>

export const fileTicket = operation({
  ...jsonPost,
  name: 'tickets.file',
  path: '/api/deploy/deployments/{alias}/tickets',
  summary: 'File a ticket on an app',
  description: 'Every member of the organization may, also without a part in the app.',
  access: { ...byMember, support: 'elevated' },
  rateLimits: [{ name: 'ticket-file', per: 'principal', limit: 30, windowSeconds: 60 }],
  errors: ['APP_LIMIT'],
  idempotent: true,
  status: 201,
  input: z.object({ alias: Alias, title: Title, body: Text }),
  output: Ticket,
})

export const listTickets = operation({
  ...jsonGet,
  name: 'tickets.list',
  path: '/api/deploy/deployments/{alias}/tickets',
  summary: 'List tickets of an app',
  description: 'Developers and people with a part in the app see all tickets, other members those that they filed.',
  access: byMember,
  input: z.object({
    alias: Alias,
    status: TicketStatus.optional().describe('Only tickets in this state'),
    mine: z.boolean().optional().describe('If true, only tickets that the caller filed'),
    ...pageInput,
  }),
  output: listOf(TicketSummary),
})

export const readTicket = operation({
  ...jsonGet,
  name: 'tickets.read',
  path: '/api/deploy/deployments/{alias}/tickets/{ticket_id}',
  summary: 'Show a ticket',
  access: byMember,
  input: z.object({ alias: Alias, ticket_id: TicketId }),
  output: Ticket,
})

export const moveTicket = operation({
  ...jsonPut,
  name: 'tickets.move',
  path: '/api/deploy/deployments/{alias}/tickets/{ticket_id}/status',
  summary: 'Move a ticket to another state',
  description:
    'From any state to any other. A move to the state that the ticket has already changes nothing and notifies nobody, so that it is safe to repeat.',
  access: { ...byBuilder, support: 'elevated' },
  input: z.object({ alias: Alias, ticket_id: TicketId, status: TicketStatus }),
  output: Ticket,
})

export const replyToTicket = operation({
  ...jsonPost,
  name: 'tickets.reply',
  path: '/api/deploy/deployments/{alias}/tickets/{ticket_id}/replies',
  summary: 'Reply to a ticket',
  description:
    'A public reply is open to everyone who sees the ticket and notifies. An internal reply needs the role developer or a part in the app, is shown to no one else, and never notifies.',
  access: { ...byMember, support: 'elevated' },
  rateLimits: [{ name: 'ticket-reply', per: 'principal', limit: 60, windowSeconds: 60 }],
  errors: ['APP_LIMIT'],
  idempotent: true,
  status: 201,
  input: z.object({
    alias: Alias,
    ticket_id: TicketId,
    body: Text,
    internal: z.boolean().default(false),
  }),
  output: TicketReply,
})

export const listReplies = operation({
  ...jsonGet,
  name: 'tickets.list-replies',
  path: '/api/deploy/deployments/{alias}/tickets/{ticket_id}/replies',
  summary: 'List the replies to a ticket',
  description: 'Internal replies are listed for developers and people with a part in the app only.',
  access: byMember,
  input: z.object({ alias: Alias, ticket_id: TicketId, ...pageInput }),
  output: listOf(TicketReply),
})
