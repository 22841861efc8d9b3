import { type Command, LIMIT } from '../../command/command.ts'
import { channels } from './channels/index.ts'
import { deliveries } from './deliveries/index.ts'
import { follows } from './follows/index.ts'
import { subscriptions } from './subscriptions/index.ts'
import { webhook } from './webhook/index.ts'

export const notifications: readonly Command[] = [
  {
    path: 'notifications list',
    summary: 'List your notifications, or follow them',
    description:
      'List your notifications in this organization, newest first, or with --since those after a notification, oldest first. With --follow, print each new one once as it comes, until Ctrl-C; a connection that breaks is continued where it stopped. With -o json, --follow prints one JSON object a line; the first one names the place to go on from with --since.',
    isDefault: true,
    options: [
      { name: 'follow', short: 'f', summary: 'print new notifications as they come' },
      { name: 'since', value: 'id', summary: 'only notifications after the one with this id' },
      { name: 'unread', summary: 'only unread notifications' },
      LIMIT,
    ],
    examples: ['svc notifications list --unread', 'svc notifications list --follow'],
    load: () => import('./list.ts'),
  },
  {
    path: 'notifications ack',
    summary: 'Mark a notification as read',
    description: 'Mark one of your notifications as read. It is safe to repeat.',
    arguments: [{ name: 'id', summary: 'notification id from `svc notifications list`' }],
    examples: ['svc notifications ack ntf_01jd8y0v7wf9hbq7s7x2e3m4n5'],
    load: async () => (await import('./inbox.ts')).ack,
  },
  ...follows,
  ...channels,
  ...subscriptions,
  ...deliveries,
  ...webhook,
]
