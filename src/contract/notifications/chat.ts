import { z } from 'zod'
import { jsonDelete, jsonGet, jsonPost, jsonPut, rawGet } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { byAdmin, Channel } from './channels.ts'

const common = { access: byAdmin, path: '/api/integrations/chat' } as const

const ChatConnection = z.object({
  channel: Channel.nullable().describe('Null while no chat channel is connected'),
  workspace: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  personal_messages: z
    .enum(['available', 'not_installed', 'broken'])
    .describe(
      'Direct messages need the app to be installed in the workspace; a pasted webhook is for one channel only',
    ),
  installable: z.boolean().describe('Whether the operator has configured an app that can be installed'),
})

export const readChat = operation({
  ...jsonGet,
  ...common,
  name: 'integrations.read-chat',
  summary: 'Show the chat connection of your organization',
  output: ChatConnection,
})

export const connectChat = operation({
  ...jsonPut,
  ...common,
  name: 'integrations.connect-chat',
  access: { ...byAdmin, support: 'refused' },
  summary: 'Connect a chat channel by its incoming webhook',
  description:
    'Replaces the channel that is connected; its subscriptions stay, and those that were disabled because the connection was lost are enabled again. The first connection of a channel subscribes it to new tickets. A webhook reaches one channel: direct messages to people need the app to be installed.',
  input: z.object({
    webhook_url: z
      .string()
      .max(500)
      .describe(
        'The incoming webhook. It is secret, because anybody who knows it can post, and it is never shown again',
      ),
    name: z.string().trim().min(1).max(100).optional().describe('Shown for the channel, such as #support'),
  }),
  output: ChatConnection.extend({ warnings: z.array(z.string()) }),
})

export const disconnectChat = operation({
  ...jsonDelete,
  ...common,
  name: 'integrations.disconnect-chat',
  access: { ...byAdmin, support: 'elevated' },
  summary: 'Disconnect chat and delete the subscriptions of its channel',
  description:
    'Notifications that were not sent yet are dropped. Linked accounts stay, so that people get direct messages again after the same workspace is connected. Remove the app in the workspace too.',
  errors: ['NOT_FOUND'],
  output: z.object({ deleted: z.literal(true) }),
})

export const startChatInstallation = operation({
  ...jsonPost,
  ...common,
  name: 'integrations.start-chat-installation',
  access: { ...byAdmin, support: 'refused' },
  path: '/api/integrations/chat/installation',
  summary: 'Begin to install the chat app in your workspace',
  description:
    'Open the URL in the browser where you are signed in here, within ten minutes, and choose the channel there. The installation replaces the channel that is connected and allows direct messages to people.',
  rateLimits: [{ name: 'start-chat-installation', per: 'principal', limit: 20, windowSeconds: 60 }],
  errors: ['CONFLICT'],
  output: z.object({ url: z.string(), expires_at: z.iso.datetime() }),
})

const parameter = z.string().max(4096)

/**
 * It changes something although it reads as a page: the browser comes from the chat service, so the rule against
 * requests of other sites would refuse it. The state, which works once and only for who began, stands in its place.
 */
export const chatCallback = operation({
  ...rawGet,
  name: 'integrations.chat-callback',
  path: '/integrations/chat/callback',
  summary: 'Finish installing the chat app, or linking a chat account',
  access: { principals: ['user'], role: 'viewer', scope: null, org: 'token', support: 'refused' },
  produces: ['text/html'],
  ignoresUnknownKeys: true,
  rateLimits: [{ name: 'chat-callback', per: 'principal', limit: 30, windowSeconds: 60 }],
  errors: ['INVALID_REQUEST', 'CHAT_OTHER_WORKSPACE', 'CHAT_ACCOUNT_TAKEN', 'CHAT_NOT_CONNECTED', 'UNAVAILABLE'],
  input: z.object({ state: parameter.optional(), code: parameter.optional(), error: parameter.optional() }),
})
