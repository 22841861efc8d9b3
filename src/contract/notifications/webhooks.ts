import { z } from 'zod'
import { jsonDelete, jsonPost, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { byAdmin, Channel } from './channels.ts'

const MAX_PER_MESSAGE = 50

const url = z
  .string()
  .max(2000)
  .describe('The endpoint. It is secret, because the signing key is made from it, and it is never shown again')
const name = z.string().trim().min(1).max(100).describe('Shown in front of the origin of the URL')
const per_message = z.int().min(1).max(MAX_PER_MESSAGE).describe('Notifications that one request may contain')

const SavedWebhook = Channel.extend({
  warnings: z.array(z.string()).describe('What is risky about the URL, such as a path that can be guessed'),
})

export const createWebhook = operation({
  ...jsonPost,
  name: 'integrations.create-webhook',
  access: { ...byAdmin, support: 'refused' },
  path: '/api/integrations/webhooks',
  summary: 'Add a webhook',
  description: 'Nothing is sent to it until a subscription names it.',
  status: 201,
  idempotent: true,
  errors: ['CHANNEL_EXISTS', 'CHANNEL_LIMIT'],
  input: z.object({ url, name: name.optional(), per_message: per_message.default(MAX_PER_MESSAGE) }),
  output: SavedWebhook,
})

export const changeWebhook = operation({
  ...jsonPut,
  name: 'integrations.change-webhook',
  access: { ...byAdmin, support: 'refused' },
  path: '/api/integrations/webhooks/{id}',
  summary: 'Change a webhook',
  description:
    'What is not given stays. A new URL is a new signing key at once. A URL also enables a webhook again that was disabled because its receiver answered 410.',
  errors: ['CHANNEL_EXISTS'],
  input: z.object({
    id: z.string().max(100),
    url: url.optional(),
    name: name.nullable().optional(),
    per_message: per_message.optional(),
  }),
  output: SavedWebhook,
})

export const deleteWebhook = operation({
  ...jsonDelete,
  name: 'integrations.delete-webhook',
  access: { ...byAdmin, support: 'elevated' },
  path: '/api/integrations/webhooks/{id}',
  summary: 'Delete a webhook and its subscriptions',
  description: 'Notifications that were not sent yet are dropped. What was sent stays in the ledger.',
  input: z.object({ id: z.string().max(100) }),
  output: z.object({ deleted: z.literal(true) }),
})
