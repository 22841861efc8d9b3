import { z } from 'zod'
import { jsonDelete, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { byAdmin } from './channels.ts'

const path = '/api/integrations/webhooks/{id}/secret'
const input = z.object({ id: z.string().max(100) })

export const rotateWebhookSecret = operation({
  ...jsonPost,
  name: 'integrations.rotate-webhook-secret',
  access: { ...byAdmin, support: 'refused' },
  path,
  summary: 'Generate a signing secret for a webhook, or replace it',
  description:
    'From then on requests have the headers of Standard Webhooks too; those made from the URL stay as they are. The secret is shown only in this answer. A replaced secret goes on signing beside the new one for 24 hours.',
  status: 201,
  idempotent: true,
  errors: ['CONFLICT'],
  input,
  output: z.object({
    secret: z.string().describe('whsec_ and the key in base64, as libraries of Standard Webhooks take it'),
    created_at: z.iso.datetime(),
    former_ends_at: z.iso
      .datetime()
      .nullable()
      .describe('When the replaced secret stops signing. Null if there was none'),
  }),
})

export const deleteWebhookSecret = operation({
  ...jsonDelete,
  name: 'integrations.delete-webhook-secret',
  access: { ...byAdmin, support: 'refused' },
  path,
  summary: 'Delete the signing secret of a webhook',
  description:
    'Requests have no headers of Standard Webhooks any more, at once and also in the 24 hours after a rotation.',
  input,
  output: z.object({ deleted: z.literal(true) }),
})
