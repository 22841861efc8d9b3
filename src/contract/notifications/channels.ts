import { z } from 'zod'
import { jsonGet, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'

/** Kinds of channels that an admin can connect. */
const CHANNEL_KINDS = ['email', 'chat', 'webhook', 'forum'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/** Every way a message can leave: through a channel, or as a direct message to a person who follows an app. */
export const DESTINATION_KINDS = [...CHANNEL_KINDS, 'chat_dm'] as const
export type DestinationKind = (typeof DESTINATION_KINDS)[number]

/** Access of everything that decides where an organization's notifications go. */
export const byAdmin = { principals: ['user', 'api_token'], role: 'admin', scope: null, org: 'token' } as const

const StandardWebhooks = z.object({
  secret_created_at: z.iso.datetime(),
  former_ends_at: z.iso.datetime().nullable().describe('Until then requests are signed with replaced secrets too'),
})

export const Channel = z.object({
  id: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  label: z
    .string()
    .describe('An address, the name of a chat channel, or the origin of a URL and its last 4 characters'),
  state: z.enum(['unconfirmed', 'active', 'disabled']),
  disabled_reason: z.string().nullable(),
  failing_since: z.iso.datetime().nullable().describe('Null while messages arrive'),
  created_at: z.iso.datetime(),
  // The default is for answers of the former release, during an upgrade of several processes.
  standard_webhooks: StandardWebhooks.nullable()
    .default(null)
    .describe('Set in a webhook that has a signing secret: its requests have the headers of Standard Webhooks too'),
})
export type Channel = z.infer<typeof Channel>

export const listChannels = operation({
  ...jsonGet,
  name: 'notifications.list-channels',
  path: '/api/notifications/channels',
  summary: 'List where notifications of your organization can go',
  access: byAdmin,
  output: z.object({ items: z.array(Channel) }),
})

export const testChannel = operation({
  ...jsonPost,
  name: 'notifications.test-channel',
  path: '/api/notifications/channels/{id}/test',
  summary: 'Send a test notification to one channel',
  description:
    'It is sent like every other notification, with the event type `notification.test`. What became of it is in the ledger under the returned id.',
  access: { ...byAdmin, support: 'elevated' },
  status: 202,
  idempotent: true,
  rateLimits: [{ name: 'test-notifications', per: 'org', limit: 10, windowSeconds: 60 }],
  errors: ['CHANNEL_NOT_ACTIVE'],
  input: z.object({ id: z.string().max(100) }),
  output: z.object({ notification_id: z.string().describe('Entry of the ledger that shows the outcome') }),
})
