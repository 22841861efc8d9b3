import { z } from 'zod'
import { WIDE_READS } from '../core/limits.ts'
import { jsonGet, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { byAdmin, DESTINATION_KINDS } from './channels.ts'

/** `pending` waits for its first attempt or its digest; `retrying` had one that provably delivered nothing. */
export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'not_sent'] as const

export const Delivery = z.object({
  id: z.string(),
  event: z.object({
    id: z.string(),
    type: z.string(),
    subject: z.string(),
    occurred_at: z.iso.datetime(),
    app: z.string().nullable(),
    link: z.string().nullable(),
  }),
  destination: z
    .object({
      kind: z.enum(DESTINATION_KINDS),
      channel_id: z.string().nullable(),
      user_id: z.string().nullable(),
      label: z.string().nullable(),
    })
    .nullable()
    .describe('Null for an event that went to nobody'),
  status: z.enum(DELIVERY_STATUSES),
  state: z
    .enum(['pending', 'sending', 'sent', 'failed', 'dropped'])
    .describe('`failed` with the reason outcome_unknown: nobody can know whether it arrived'),
  reason: z.string().nullable(),
  /** Id of the message that it was in, for `resend`. Null while it is in none. */
  delivery_id: z.string().nullable(),
  attempts: z.int(),
  next_attempt_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
})
export type Delivery = z.infer<typeof Delivery>

export const listDeliveries = operation({
  ...jsonGet,
  name: 'notifications.list-deliveries',
  path: '/api/notifications/deliveries',
  summary: 'List every event of your organization and what became of it',
  description: 'One entry for each event and destination, and one for an event that went to nobody. Newest first.',
  access: byAdmin,
  input: z.object({
    status: z.enum(DELIVERY_STATUSES).optional(),
    event_type: z.string().max(100).optional().describe('An event type, or a prefix such as support.ticket.*'),
    app: z.string().max(100).optional().describe('Alias of an app'),
    channel_id: z.string().max(100).optional(),
    ...pageInput,
  }),
  output: listOf(Delivery),
})

const Outcomes = z.object({
  delivered: z.int(),
  retried: z.int().describe('Of the delivered ones, those that took more than one attempt'),
  not_sent: z.int(),
  unknown: z.int().describe('Nobody can know whether they arrived'),
  waiting: z.int().describe('For their first attempt, a digest or another attempt'),
})

export const deliveryStatistics = operation({
  ...jsonGet,
  name: 'notifications.delivery-statistics',
  path: '/api/notifications/delivery-statistics',
  summary: 'Count what became of notifications, by channel and by day',
  description:
    'Of the events of the last days, in the timezone of the notification settings. Each entry of the ledger counts once.',
  access: byAdmin,
  rateLimits: [{ name: 'delivery-statistics', per: 'principal', limit: 120, windowSeconds: 60 }],
  concurrency: WIDE_READS,
  input: z.object({ days: z.int().min(1).max(90).default(30).describe('Today counts as one') }),
  output: z.object({
    channels: z
      .array(
        Outcomes.extend({
          kind: z.enum([...DESTINATION_KINDS, 'none']).describe('`none`: events that went to nobody'),
          channel_id: z.string().nullable().describe('Null for direct messages and for mails to one person'),
          label: z.string().nullable(),
        }),
      )
      .describe('The one with the most entries first, at most 100'),
    days: z
      .array(
        Outcomes.extend({
          day: z.iso.date(),
          to_nobody: z.int().describe('Of those that were not sent, the events that no subscription matched'),
        }),
      )
      .describe('Oldest first, without gaps'),
  }),
})

const Attempt = z.object({
  attempt: z.int(),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  outcome: z.enum(['sent', 'retry', 'failed', 'gone', 'unknown', 'dropped']).nullable(),
  reason: z.string().nullable(),
  status: z.int().nullable().describe("Status of the receiver's answer"),
})

export const readDelivery = operation({
  ...jsonGet,
  name: 'notifications.read-delivery',
  path: '/api/notifications/deliveries/{id}',
  summary: 'Read one entry with every attempt',
  access: byAdmin,
  input: z.object({ id: z.string().max(100) }),
  output: Delivery.extend({ tries: z.array(Attempt) }),
})

export const resendDelivery = operation({
  ...jsonPost,
  name: 'notifications.resend-delivery',
  path: '/api/notifications/deliveries/{id}/resend',
  summary: 'Send a message again that failed',
  description:
    'A message whose outcome is unknown may arrive twice: say so with `may_arrive_twice`. The former message stays in the ledger as it ended.',
  access: { ...byAdmin, support: 'elevated' },
  idempotent: true,
  errors: ['NOT_RESENDABLE'],
  input: z.object({ id: z.string().max(100), may_arrive_twice: z.boolean().default(false) }),
  output: z.object({ delivery_id: z.string() }),
})
