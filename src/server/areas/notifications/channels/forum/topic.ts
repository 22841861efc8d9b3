import { createHash } from 'node:crypto'
import type { Notification } from '#contract/notifications/inbox.ts'
import type { DueNotification } from '../../deliver/due-notification.ts'

/** More lines could exceed the usual limit of 32,000 characters for a post. */
const MAX_LINES = 60
/** Discourse refuses titles with longer words unless its operator allows them. */
const MAX_WORD = 30

/** The part of a delivery that identifies its topic. A resend is identified by the message that it repeats. */
export type TopicIdentity = { digest_key: string | null; window_end: Date | null; event_id: string | null }

/** Returns the external id of a topic: the same for every attempt, every resend, and after a restore from a backup. */
export function externalIdOf({ digest_key, window_end, event_id }: TopicIdentity): string {
  if (digest_key === null || window_end === null) return event_id ?? ''
  const window = `${digest_key} ${window_end.toISOString()}`
  return `svc-${createHash('sha256').update(window).digest('hex').slice(0, 40)}`
}

/** Returns the user who caused all of the events, or null when nobody did. */
export function actingUser(notifications: readonly DueNotification[]): string | null {
  const actors = new Set(notifications.map(({ event }) => event.body.actor_id))
  return actors.size === 1 ? ([...actors][0] ?? null) : null
}

/**
 * Renders a topic. Its title ends with the time and a part of its external id, because Discourse refuses a title that
 * is in use. Text that people typed is shown as code, so that it can neither mention anybody nor embed anything.
 */
export function renderTopic(
  notifications: readonly Notification[],
  { externalId, isDigest }: { externalId: string; isDigest: boolean },
): { title: string; raw: string } {
  const [first] = notifications
  const isList = isDigest || notifications.length > 1
  const count = notifications.length === 1 ? '1 notification' : `${notifications.length} notifications`
  const at = `${first!.occurred_at.slice(0, 16).replace('T', ' ')} UTC`
  const heading = isList ? `${count} from ${at}` : `${shortWords(first!.subject)} (${at})`
  const shown = notifications.slice(0, MAX_LINES)
  const more = notifications.length - shown.length
  const blocks = [...shown.map(blockOf), ...(more === 0 ? [] : [`${more} more in the list of deliveries.`])]
  return { title: `${heading} ${externalId.slice(-6)}`, raw: [...blocks, `Reference: ${externalId}`].join('\n\n') }
}

/** Counts whole characters, because half a surrogate pair is no text that a forum can store. */
function shortWords(text: string): string {
  return text.replace(/\S{31,}/gu, (word) => {
    const characters = Array.from(word).slice(0, MAX_WORD - 1)
    return `${characters.join('')}…`
  })
}

function blockOf({ subject, event_type, app, occurred_at, link }: Notification): string {
  const about = [event_type, ...(app === undefined ? [] : [app]), occurred_at].join(', ')
  return `\`${subject.replaceAll('`', "'")}\`\n${about}\n[Open](${link})`
}
