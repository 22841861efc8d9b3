import { z } from 'zod'
import { bySelf } from '../core/access.ts'
import { FOLLOW_CATEGORIES } from '../core/event-definition.ts'
import { jsonGet, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { Timing } from './subscriptions.ts'

/** The outcome of the newest event of a followed app that was to be sent to the person. */
const FOLLOW_OUTCOMES = ['delivered', 'retrying', 'not_sent'] as const

const LastOutcome = z.object({
  status: z.enum(FOLLOW_OUTCOMES),
  reason: z.string().nullable().describe('Why it was not sent or is retried, such as chat_not_linked'),
  event_type: z.string(),
  occurred_at: z.iso.datetime(),
})

const categories = z
  .array(z.enum(FOLLOW_CATEGORIES))
  .max(FOLLOW_CATEGORIES.length)
  .refine((chosen) => new Set(chosen).size === chosen.length, 'must name each category once')
  .describe('None means that you do not follow the app')

/** Where messages about a followed app go: a direct message in the chat service, or a mail to the person's address. */
export const FOLLOW_WAYS = ['chat', 'mail'] as const
export type FollowWay = (typeof FOLLOW_WAYS)[number]

const via = z
  .enum(FOLLOW_WAYS)
  .describe('`chat`: a direct message to your linked chat account. `mail`: a mail to your address instead, never both')

export const Follow = z.object({
  app: z.object({
    id: z.string(),
    alias: z.string().nullable().describe('Null if the app does not exist any more'),
    name: z.string().nullable(),
  }),
  categories,
  frequency: Timing,
  via,
  last_outcome: LastOutcome.nullable().describe('Null until an event of the app was to be sent to you'),
})
export type Follow = z.infer<typeof Follow>

export const listFollows = operation({
  ...jsonGet,
  name: 'notifications.list-follows',
  path: '/api/notifications/follows',
  summary: 'List the apps you follow',
  description: 'With what became of the newest event of each app: delivered, retrying, or not sent and why.',
  access: bySelf,
  output: z.object({ items: z.array(Follow) }),
})

export const setFollow = operation({
  ...jsonPut,
  name: 'notifications.set-follow',
  path: '/api/notifications/follows/{app}',
  summary: 'Follow an app by category',
  description:
    'Replaces your choice for the app; without categories you do not follow it. You can follow apps that you build, maintain or administer, and as an admin all apps. This is checked again before each message.',
  access: bySelf,
  errors: ['UNAVAILABLE'],
  input: z.object({
    app: z.string().max(100).describe('Alias or id of the app'),
    categories,
    frequency: Timing.default('immediately'),
    via: via.default('chat'),
  }),
  output: Follow,
})
