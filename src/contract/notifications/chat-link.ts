import { z } from 'zod'
import { BODY_LIMIT, NO_BODY } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

const common = {
  kind: 'json',
  path: '/api/notifications/chat-link',
  access: { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'token', support: 'refused' },
} as const

export const readChatLink = operation({
  ...common,
  name: 'notifications.read-chat-link',
  method: 'GET',
  summary: 'Show your linked chat account',
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object({}),
  output: z.object({
    connected: z
      .boolean()
      .describe('Whether direct messages can be sent: the app is installed in the workspace and works'),
    state: z
      .enum(['unlinked', 'linked'])
      .describe('An account that was deactivated at the chat service is unlinked. Link again to resume'),
    unlinked_reason: z
      .enum(['account_inactive'])
      .nullable()
      .describe('Why the account is not linked any more: it was deactivated at the chat service'),
    account: z
      .object({
        workspace_id: z.string(),
        chat_user_id: z.string(),
        display_name: z.string(),
        linked_at: z.iso.datetime(),
      })
      .nullable()
      .describe('All that is kept of the account'),
  }),
})

export const startChatLink = operation({
  ...common,
  name: 'notifications.start-chat-link',
  method: 'POST',
  summary: 'Begin to link your chat account',
  description:
    'Open the URL in the browser where you are signed in here, within ten minutes. An account of another workspace, or one that another person has linked, is refused. Preferences of what you follow stay as they are.',
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  rateLimits: [{ name: 'start-chat-link', per: 'principal', limit: 20, windowSeconds: 60 }],
  errors: ['CHAT_NOT_CONNECTED'],
  input: z.object({}),
  output: z.object({ url: z.string(), expires_at: z.iso.datetime() }),
})

export const deleteChatLink = operation({
  ...common,
  name: 'notifications.delete-chat-link',
  method: 'DELETE',
  summary: 'Unlink your chat account',
  description: 'Direct messages stop. What you follow stays, and linking again resumes them.',
  effect: 'write',
  bodyLimit: NO_BODY,
  errors: ['NOT_FOUND'],
  input: z.object({}),
  output: z.object({ deleted: z.literal(true) }),
})
