import { z } from 'zod'
import { BODY_LIMIT } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { byAdmin } from './channels.ts'

export const testChannel = operation({
  kind: 'json',
  name: 'notifications.test-channel',
  method: 'POST',
  path: '/api/notifications/channels/{id}/test',
  summary: 'Send a test notification to one channel',
  description:
    'It is sent like every other notification, with the event type `notification.test`. What became of it is in the ledger under the returned id.',
  access: { ...byAdmin, support: 'elevated' },
  effect: 'write',
  status: 202,
  idempotent: true,
  bodyLimit: BODY_LIMIT,
  rateLimits: [{ name: 'test-notifications', per: 'org', limit: 10, windowSeconds: 60 }],
  errors: ['NOT_FOUND', 'CHANNEL_NOT_ACTIVE'],
  input: z.object({ id: z.string().max(100) }),
  output: z.object({ notification_id: z.string().describe('Entry of the ledger that shows the outcome') }),
})
