import type { ChannelKind } from '#contract/notifications/channels.ts'
import { destinationOf, mailKey } from '../model/destination-key.ts'
import { type MatchedEvent, type NewNotification, OF_NOBODY, type Timing } from '../model/notification.ts'
import { matchesPattern } from '../model/pattern.ts'
import { windowEnd } from '../model/window.ts'

export type SubscriptionFacts = {
  readonly id: string
  readonly pattern: string
  readonly timing: Timing
  readonly created_at: Date
  readonly channel_id: string
  readonly kind: ChannelKind
  /** Where the mail of an email channel arrives. */
  readonly address: string | null
  /** Notifications that fit into one message to the channel. */
  readonly per_message: number
}
/** An email to one person: a reporter about a reply, or an owner or admin about support access. */
export type PersonalMail = { readonly subscription_id: string; readonly user_id: string; readonly address: string }
export type FollowFacts = {
  readonly user_id: string
  readonly timing: Timing
  /** The person's address, if they chose mail for this follow. Undefined: a direct message in the chat service. */
  readonly address?: string | undefined
  /** True when the person has no part in the app any more: the event is recorded as not sent. */
  readonly hasLostPart?: boolean
}
type When = { readonly timezone: string; readonly now: Date }

/** Returns the notifications of an event for the organization's subscriptions, at most one for each destination. */
export function matchSubscriptions(
  event: MatchedEvent,
  subscriptions: readonly SubscriptionFacts[],
  when: When,
): NewNotification[] {
  const matched = subscriptions.filter(({ pattern }) => matchesPattern(pattern, event.type)).sort(byPreference)
  const byDestination = Map.groupBy(matched, (subscription) => destinationOf(event, subscription))
  return [...byDestination].map(([destination_key, [first]]) => ({
    ...common(event),
    destination_key,
    kind: first!.kind,
    channel_id: first!.channel_id,
    subscription_id: first!.id,
    digest: digestOf(digestKeyOf(event, first!), first!.timing, when),
    per_message: first!.per_message,
  }))
}

/** A forum topic has one author, so a forum's digest has the events of one acting user. */
function digestKeyOf({ body }: MatchedEvent, { id, kind }: SubscriptionFacts): string {
  return kind === 'forum' ? `subscription:${id}:${body.actor_id ?? 'nobody'}` : `subscription:${id}`
}

/** Of several subscriptions for one destination the exact one decides, then the sooner one, then the older one. */
function byPreference(a: SubscriptionFacts, b: SubscriptionFacts): number {
  return (
    Number(a.pattern.endsWith('.*')) - Number(b.pattern.endsWith('.*')) ||
    TIMINGS.indexOf(a.timing) - TIMINGS.indexOf(b.timing) ||
    a.created_at.getTime() - b.created_at.getTime()
  )
}

const TIMINGS: readonly Timing[] = ['immediately', 'hourly', 'daily']

/** Returns the notifications of an event for people: mails that are theirs, and messages about apps they follow. */
export function matchPeople(
  event: MatchedEvent,
  { mails, follows }: { mails: readonly PersonalMail[]; follows: readonly FollowFacts[] },
  when: When,
): NewNotification[] {
  const mailed = mails.map((mail) => fromMail(event, mail))
  const keys = new Set(mailed.map(({ destination_key }) => destination_key))
  const followed = follows.map((follow) => fromFollow(event, follow, when))
  // One mailbox gets one mail about an event: the reporter of a ticket may follow its app by mail too.
  return [...mailed, ...followed.filter(({ destination_key }) => !keys.has(destination_key))]
}

function fromMail(event: MatchedEvent, { subscription_id, user_id, address }: PersonalMail): NewNotification {
  return { ...common(event), destination_key: mailKey(event, address), kind: 'email', user_id, subscription_id }
}

/**
 * A person's digest in chat covers all apps they follow at that frequency, so its key names the person and not the app. A
 * digest by mail has the link that ends one follow, so it covers one app.
 */
function fromFollow(event: MatchedEvent, follow: FollowFacts, when: When): NewNotification {
  const { user_id, timing, address, hasLostPart } = follow
  const person = `${event.org_id}:${user_id}`
  const { app_id } = common(event)
  const [kind, destination_key, digestKey] =
    address === undefined
      ? (['chat_dm', `chat_dm:${person}`, `follows:${person}:${timing}`] as const)
      : (['email', mailKey(event, address), `follows:${person}:${timing}:${app_id}`] as const)
  const message = { ...common(event), destination_key, kind, user_id }
  if (hasLostPart) return { ...message, dropped_reason: 'no_part_in_app' }
  return { ...message, digest: digestOf(digestKey, timing, when) }
}

/** Stands in the ledger for an event that goes to nobody. */
export function recordOnly(event: MatchedEvent, reason: 'no_subscription' | 'people_unknown'): NewNotification {
  return { ...common(event), destination_key: `none:${reason}`, kind: 'none', dropped_reason: reason }
}

/** Destination of the entry that stands for an event which only a newer release can read. */
export const UNREADABLE_KEY = 'none:unreadable'

/** Without a reason the entry waits for a release that can read the event. */
export function recordUnreadable(
  { id, org_id }: { id: string; org_id: string },
  droppedReason: 'unreadable' | null = null,
): NewNotification {
  const entry = { event_id: id, org_id, destination_key: UNREADABLE_KEY, kind: 'none' } as const
  return { ...OF_NOBODY, ...entry, dropped_reason: droppedReason }
}

function common({ id, org_id, body }: MatchedEvent) {
  return { ...OF_NOBODY, event_id: id, org_id, app_id: 'app' in body ? body.app.id : null }
}

function digestOf(key: string, timing: Timing, { timezone, now }: When): NewNotification['digest'] {
  return timing === 'immediately' ? null : { key, timing, windowEnd: windowEnd(timing, timezone, now) }
}
