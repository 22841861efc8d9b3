import { z } from 'zod'
import { jsonDelete, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { byAdmin, Channel } from './channels.ts'

/** Both ask the forum whether it accepts the key. */
const rateLimits = [{ name: 'forum-probes', per: 'org', limit: 20, windowSeconds: 60 }] as const

const ForumConfig = z.object({
  url: z.string().max(500).describe('Address of the forum, such as https://forum.example.com'),
  category: z.int().min(1).max(2_147_483_647).describe('Number of the category that topics are posted in'),
})

const Forum = Channel.extend({ config: ForumConfig.nullable().describe('Null until the forum is configured') })
export type Forum = z.infer<typeof Forum>

export const connectForum = operation({
  ...jsonPut,
  name: 'integrations.connect-forum',
  access: { ...byAdmin, support: 'refused' },
  path: '/api/integrations/forum/connection',
  summary: 'Save the API key of your Discourse forum',
  description:
    'The first step: a forum without a key cannot be configured. Takes an admin API key for all users; it is stored sealed and never shown again. If the forum is configured already, the new key is tried there before it replaces the former one.',
  rateLimits,
  errors: ['CONFLICT', 'FORUM_PROBE_FAILED'],
  input: z.object({
    api_key: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters'),
  }),
  output: Forum,
})

export const configureForum = operation({
  ...jsonPut,
  name: 'integrations.configure-forum',
  access: { ...byAdmin, support: 'refused' },
  path: '/api/integrations/forum',
  summary: 'Choose the forum and the category that topics are posted in',
  description:
    'Tries the key at the forum and saves nothing if the forum refuses it, if it belongs to a single user, or if there is no such category. The key is used only at the forum it was first configured for; disconnect to use another forum.',
  rateLimits,
  errors: ['CONFLICT', 'FORUM_NOT_CONNECTED', 'FORUM_PROBE_FAILED'],
  input: z.object({ config: ForumConfig.strict() }),
  output: Forum,
})

export const disconnectForum = operation({
  ...jsonDelete,
  name: 'integrations.disconnect-forum',
  access: { ...byAdmin, support: 'elevated' },
  path: '/api/integrations/forum',
  summary: 'Delete the forum, its API key and its subscriptions',
  description: 'Notifications that were not posted yet are dropped. Topics stay in the forum.',
  errors: ['NOT_FOUND'],
  output: z.object({ deleted: z.literal(true) }),
})
