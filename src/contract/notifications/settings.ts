import { z } from 'zod'
import { jsonGet, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { byAdmin } from './channels.ts'

const NotificationSettings = z.object({
  timezone: z.string().max(64).describe('IANA name, such as Europe/Berlin. Digests follow it'),
})

export const readNotificationSettings = operation({
  ...jsonGet,
  name: 'notifications.read-settings',
  path: '/api/notifications/settings',
  summary: "Read your organization's notification settings",
  access: byAdmin,
  output: NotificationSettings.extend({
    mail: z
      .enum(['server', 'mailbox', 'none'])
      .describe('Where mails go: through a mail server, into the local mailbox of this machine, or nowhere'),
  }),
})

export const changeNotificationSettings = operation({
  ...jsonPut,
  name: 'notifications.change-settings',
  path: '/api/notifications/settings',
  summary: "Change your organization's notification settings",
  description: 'Digests that were begun are sent at the time that was set before.',
  access: { ...byAdmin, support: 'refused' },
  input: NotificationSettings,
  output: NotificationSettings,
})
