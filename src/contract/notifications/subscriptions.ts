import { z } from 'zod'
import { jsonDelete, jsonGet, jsonPost, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { byAdmin, Channel } from './channels.ts'

const TIMINGS = ['immediately', 'hourly', 'daily'] as const
export const Timing = z.enum(TIMINGS).describe('Sent at once, or collected and sent hourly or daily')

export const Subscription = z.object({
  id: z.string(),
  event_type: z.string(),
  channel: Channel.pick({ id: true, kind: true, label: true, state: true }),
  timing: Timing,
  enabled: z.boolean(),
  disabled_by: z
    .enum(['admin', 'unsubscribe', 'unconfirmed', 'connection_lost', 'gone'])
    .nullable()
    .describe(
      'Why it is disabled. One that its recipient unsubscribed from cannot be enabled again. One that is `unconfirmed` waits for the person behind the address, who unsubscribed from a part of it',
    ),
  notice: z.string().nullable().describe('Why nothing is sent at present, and what to do. Null if events are sent'),
  created_at: z.iso.datetime(),
})
export type Subscription = z.infer<typeof Subscription>

const event_type = z
  .string()
  .max(100)
  .describe('An event type, such as deploy.failed, or a prefix such as support.ticket.*')

export const listSubscriptions = operation({
  ...jsonGet,
  name: 'notifications.list-subscriptions',
  path: '/api/notifications/subscriptions',
  access: byAdmin,
  summary: "List your organization's subscriptions",
  output: z.object({ items: z.array(Subscription) }),
})

export const createSubscription = operation({
  ...jsonPost,
  name: 'notifications.create-subscription',
  access: { ...byAdmin, support: 'refused' },
  path: '/api/notifications/subscriptions',
  summary: 'Subscribe a channel to an event type',
  description:
    'For an email address whose person unsubscribed from the type, or from a part of the prefix, the subscription is `unconfirmed`: the person gets a mail, and it begins when they confirm. Other subscriptions of the address stay as they are. Refused if the person asked your organization not to mail them.',
  status: 201,
  idempotent: true,
  errors: ['NOT_FOUND', 'SUBSCRIPTION_EXISTS', 'SUBSCRIPTION_LIMIT', 'UNSUBSCRIBED', 'RATE_LIMITED'],
  input: z.object({ event_type, channel_id: z.string().max(100), timing: Timing.default('immediately') }),
  output: Subscription,
})

export const changeSubscription = operation({
  ...jsonPut,
  name: 'notifications.change-subscription',
  access: { ...byAdmin, support: 'refused' },
  path: '/api/notifications/subscriptions/{id}',
  summary: 'Enable, disable or retime a subscription',
  errors: ['UNSUBSCRIBED'],
  input: z.object({ id: z.string().max(100), enabled: z.boolean().optional(), timing: Timing.optional() }),
  output: Subscription,
})

export const deleteSubscription = operation({
  ...jsonDelete,
  name: 'notifications.delete-subscription',
  access: { ...byAdmin, support: 'elevated' },
  path: '/api/notifications/subscriptions/{id}',
  summary: 'Delete a subscription',
  description: 'A default subscription that you delete is never made again.',
  input: z.object({ id: z.string().max(100) }),
  output: z.object({ deleted: z.literal(true) }),
})
