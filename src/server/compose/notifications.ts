import { createSendMail } from '#lib/net/mail.ts'
import { createNotifications, type MailSettings, type Notifications } from '../areas/notifications/index.ts'
import type { ServiceParts } from './parts.ts'
import { composePeople } from './people.ts'

/** Builds the area. The gateway mounts its routes; the worker runs its loops and slots. */
export function composeNotifications(parts: ServiceParts): Notifications {
  return createNotifications({
    ...parts,
    people: composePeople(parts),
    mail: composeMail(parts),
    baseUrl: () => parts.publicUrls.signIn,
    onError: (error) => parts.log.error({ error }, 'a notification could not be handled; it is tried again'),
  })
}

function composeMail({ config }: ServiceParts): MailSettings | undefined {
  const { server, from, dkim } = config.mail
  return server && { from, dkim, sendMail: createSendMail(server) }
}
