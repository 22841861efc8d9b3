import { type Command, LIMIT } from '../../command/command.ts'
import { channels } from './channels/index.ts'
import { deliveries } from './deliveries/index.ts'
import { follows } from './follows/index.ts'
import { subscriptions } from './subscriptions/index.ts'
import { webhook } from './webhook/index.ts'

export const notifications: readonly Command[] = [
  {
    path: 'notifications list',
    summary: 'List your notifications',
    description: 'List your notifications in this organization, newest first.',
    options: [{ name: 'unread', summary: 'only unread notifications' }, LIMIT],
    examples: ['svc notifications list --unread'],
    load: async () => (await import('./inbox.ts')).list,
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
