import type { ChannelKind } from '#contract/notifications/channels.ts'
import type { Person } from '#ports/people.ts'
import type { SystemMail } from '#ports/system-mail.ts'
import type { FailingChannel } from './store.ts'

const KINDS: Record<ChannelKind, string> = {
  email: 'email address',
  chat: 'chat channel',
  webhook: 'webhook',
  forum: 'forum',
}

type MailContext = { person: Person; orgName: string | null; baseUrl: string }

/** Returns the mail to an admin about a channel that keeps failing. The key names the incident, so it is sent once. */
export function healthMail(channel: FailingChannel, { person, orgName, baseUrl }: MailContext): SystemMail {
  const { id, org_id, kind, label, failing_since, failures, disabled_reason } = channel
  const where = `the ${KINDS[kind]} ${label}${orgName === null ? '' : ` of ${orgName}`}`
  const since = `${failing_since.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return {
    key: `health:${id}:${failing_since.toISOString()}:${person.user_id}`,
    org_id,
    to: person.email,
    subject: `Notifications to ${label} do not arrive`,
    paragraphs: [
      `Notifications to ${where} have not arrived since ${since}. Messages lost in a row: ${failures}.`,
      disabled_reason === null
        ? 'We go on trying. Look at the delivery ledger for the reasons, and correct or remove the channel.'
        : `The other side answered that it does not exist any more (${disabled_reason}), so nothing is sent to it. Connect it again, or remove it.`,
      'You get this mail once for each outage.',
    ],
    action: { label: 'See integrations', link: new URL('/settings/organization/integrations', baseUrl).href },
    expires_at: null,
  }
}
