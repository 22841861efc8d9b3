import { rawGet } from '../core/methods.ts'
import { operation } from '../core/operation.ts'

export const mailboxPage = operation({
  ...rawGet,
  name: 'notifications.mailbox',
  path: '/mailbox',
  summary: 'Show the mails that were kept on this machine',
  description:
    'Without a mail server the embedded default keeps the last 500 mails instead of sending them. For owners, from this machine only; everywhere else it answers 404.',
  access: { principals: ['user', 'api_token'], role: 'owner', scope: null, org: 'token', support: 'refused' },
  produces: ['text/html'],
  errors: ['NOT_FOUND'],
})
