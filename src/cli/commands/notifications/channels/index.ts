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
]
