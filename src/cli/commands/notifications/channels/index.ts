import type { Command } from '../../../command/command.ts'

export const channels: readonly Command[] = [
  {
    path: 'notifications channels list',
    summary: 'List the channels of your organization',
    description:
      'List where notifications of your organization can go: email addresses, chat channels, webhooks and the forum. Needs the role admin or owner.',
    examples: ['svc notifications channels list'],
    load: async () => (await import('./channels.ts')).list,
  },
  {
    path: 'notifications channels test',
    summary: 'Send a test notification',
    description:
      'Send a test notification to one channel. It is sent by the worker like every other one; the printed command shows what became of it. Needs the role admin or owner.',
    arguments: [{ name: 'id', summary: 'channel id from `svc notifications channels list`' }],
    examples: ['svc notifications channels test chn_01jd8y0v7wf9hbq7s7x2e3m4n5'],
    load: async () => (await import('./channels.ts')).test,
  },
  {
    path: 'notifications channels rotate-secret',
    summary: 'Generate or replace the signing secret of a webhook',
    description:
      'Generate a signing secret for a webhook, or replace the one that it has. From then on its requests have the headers of Standard Webhooks too. The secret is shown only once. A replaced secret goes on signing for 24 hours beside the new one, so that the receiver can change it in between. Needs the role admin or owner.',
    arguments: [{ name: 'id', summary: 'id of a webhook from `svc notifications channels list`' }],
    examples: ['svc notifications channels rotate-secret chn_01jd8y0v7wf9hbq7s7x2e3m4n5'],
    load: async () => (await import('./channels.ts')).rotateSecret,
  },
  {
    path: 'notifications channels delete-secret',
    summary: 'Delete the signing secret of a webhook',
    description:
      'Delete the signing secret of a webhook. Its requests have no headers of Standard Webhooks any more, at once; the signature made from the URL stays. Needs the role admin or owner.',
    arguments: [{ name: 'id', summary: 'id of a webhook from `svc notifications channels list`' }],
    confirms: true,
    examples: [
      'svc notifications channels delete-secret chn_01jd8y0v7wf9hbq7s7x2e3m4n5',
      'svc notifications channels delete-secret chn_01jd8y0v7wf9hbq7s7x2e3m4n5 --yes',
    ],
    load: async () => (await import('./channels.ts')).deleteSecret,
  },
]
