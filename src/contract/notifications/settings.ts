import { z } from 'zod'
import { BODY_LIMIT, NO_BODY } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { byAdmin } from './channels.ts'

const NotificationSettings = z.object({
  timezone: z.string().max(64).describe('IANA name, such as Europe/Berlin. Digests follow it'),
})

export const readNotificationSettings = operation({
  kind: 'json',
  name: 'notifications.read-settings',
  method: 'GET',
  path: '/api/notifications/settings',
  summary: "Read your organization's notification settings",
  access: byAdmin,
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object({}),
  output: NotificationSettings.extend({
    mail: z
      .enum(['server', 'mailbox', 'none'])
      .describe('Where mails go: through a mail server, into the local mailbox of this machine, or nowhere'),
  }),
})

export const changeNotificationSettings = operation({
  kind: 'json',
  name: 'notifications.change-settings',
  method: 'PUT',
  path: '/api/notifications/settings',
  summary: "Change your organization's notification settings",
  description: 'Digests that were begun are sent at the time that was set before.',
  access: { ...byAdmin, support: 'refused' },
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  input: NotificationSettings,
  output: NotificationSettings,
})
