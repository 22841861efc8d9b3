import { createCookies } from '#edge/credentials/cookies.ts'
import { createSendMail } from '#lib/net/mail/mail.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { createAppDirectory } from '../areas/apps/index.ts'
import { createNotifications, type MailSettings, type Notifications } from '../areas/notifications/index.ts'
import type { ServiceParts } from './parts.ts'
import { composePeople } from './people.ts'

/** Builds the area. The gateway mounts its routes; the worker runs its loops and slots. */
export function composeNotifications(parts: ServiceParts): Notifications {
  return createNotifications({
    ...parts,
    people: composePeople(parts),
    apps: createAppDirectory(parts),
    mail: composeMail(parts),
    chatApp: parts.config.chat.slack,
    sessionCookies: createCookies(parts.config.signIn.redirectBaseUrl).session,
    ...composeForumAccess(parts),
    baseUrl: () => parts.publicUrls.signIn,
    keepDays: parts.config.notifications,
    onUnreadable: (events) => reportUnreadable(parts, events),
    onError: (error) => parts.log.error({ error }, 'a notification could not be handled; it is tried again'),
  })
}

/** Each event is reported by the worker that found it first. */
function reportUnreadable({ log, metrics }: ServiceParts, events: readonly { type: string }[]): void {
  if (events.length === 0) return
  metrics.unreadableEvents.inc(events.length)
  const types = [...new Set(events.map(({ type }) => type))].slice(0, 20)
  log.warn({ count: events.length, types }, 'events of a newer release wait in the ledger; upgrade this service')
}

/** On the embedded default mails are kept on this machine until a mail server is configured. */
function composeMail({ config }: ServiceParts): MailSettings | 'mailbox' | undefined {
  const { server, from, dkim } = config.mail
  if (server) return { from, dkim, sendMail: createSendMail(server) }
  return config.databaseUrl === undefined ? 'mailbox' : undefined
}

/** The operator's networks are open to forums only: webhooks and everything else use the fetch without them. */
function composeForumAccess({ config, safeFetch }: ServiceParts) {
  const { allowedNetworks } = config.forum
  const allowsPrivateForums = allowedNetworks.length > 0
  return {
    forumFetch: allowsPrivateForums ? createSafeFetch({ allowCidrs: allowedNetworks }) : safeFetch,
    allowsPrivateForums,
  }
}
