import { z } from 'zod'
import { bySelf } from '../core/access.ts'
import { jsonDelete, jsonGet, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'

const common = {
  path: '/api/notifications/chat-link',
  access: bySelf,
} as const

export const readChatLink = operation({
  ...jsonGet,
  ...common,
  name: 'notifications.read-chat-link',
  summary: 'Show your linked chat account',
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
  ...jsonPost,
  ...common,
  name: 'notifications.start-chat-link',
  summary: 'Begin to link your chat account',
  description:
    'Open the URL in the browser where you are signed in here, within ten minutes. An account of another workspace, or one that another person has linked, is refused. Preferences of what you follow stay as they are.',
  rateLimits: [{ name: 'start-chat-link', per: 'principal', limit: 20, windowSeconds: 60 }],
  errors: ['CHAT_NOT_CONNECTED'],
  output: z.object({ url: z.string(), expires_at: z.iso.datetime() }),
})

export const deleteChatLink = operation({
  ...jsonDelete,
  ...common,
  name: 'notifications.delete-chat-link',
  summary: 'Unlink your chat account',
  description: 'Direct messages stop. What you follow stays, and linking again resumes them.',
  errors: ['NOT_FOUND'],
  output: z.object({ deleted: z.literal(true) }),
})
