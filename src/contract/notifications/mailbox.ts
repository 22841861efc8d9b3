import { z } from 'zod'
import { NO_BODY } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

export const mailboxPage = operation({
  kind: 'raw',
  name: 'notifications.mailbox',
  method: 'GET',
  path: '/mailbox',
  summary: 'Show the mails that were kept on this machine',
  description:
    'Without a mail server the embedded default keeps the last 500 mails instead of sending them. For owners, from this machine only; everywhere else it answers 404.',
  access: { principals: ['user', 'api_token'], role: 'owner', scope: null, org: 'token', support: 'refused' },
  effect: 'read',
  bodyLimit: NO_BODY,
  produces: ['text/html'],
  errors: ['NOT_FOUND'],
  input: z.object({}),
})
