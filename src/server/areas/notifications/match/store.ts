import { readStoredEvent } from '#contract/core/events.ts'
import type { FollowWay } from '#contract/notifications/follows.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import type { MatchedEvent } from '../model/notification.ts'
import type { SubscriptionFacts } from './match.ts'
import { forgetUnreadable } from './unreadable-store.ts'

type EventRow = { id: string; org_id: string; type: string; body: unknown; occurred_at: Date }

/** Notified when events were marked as still to be matched to people. */
export const PEOPLE_NOTIFY = 'svc_notification_people'

type Page = { after: string; limit: number }

/** `event` is undefined where only a newer release can read it. */
type UnmatchedEvent = { id: string; org_id: string; type: string; event: MatchedEvent | undefined }
type PendingEvent = UnmatchedEvent & { received_at: Date }

/** The oldest events that no subscription was compared with yet: new ones, or those that a release could not read. */
export async function readUnmatched(
  db: Querier,
  which: 'new' | 'unreadable',
  { after, limit }: Page,
): Promise<UnmatchedEvent[]> {
  const isWanted = which === 'new' ? sql`unreadable_at is null` : sql`unreadable_at is not null`
  const rows = await db.query<EventRow>(sql`
    select id, org_id, type, body, occurred_at from notifications.events
    where matched_at is null and ${isWanted} and id > ${after} order by id limit ${limit}`)
  return rows.map(toUnmatched)
}

/** The oldest events that still have to be matched to people. */
export async function readPeoplePending(db: Querier, { after, limit }: Page): Promise<PendingEvent[]> {
  const rows = await db.query<EventRow & { received_at: Date }>(sql`
    select id, org_id, type, body, occurred_at, received_at from notifications.events
    where people_pending and id > ${after} order by id limit ${limit}`)
  return rows.map((row) => ({ ...toUnmatched(row), received_at: row.received_at }))
}

function toUnmatched(row: EventRow): UnmatchedEvent {
  const event = readStoredEvent(row)
  return { id: row.id, org_id: row.org_id, type: row.type, event: event && { ...event, id: row.id } }
}

/**
 * Returns the ids that were unmatched until now: those of the others, another process has matched. Entries of events
 * that a release could not read are removed.
 */
export async function markMatched(
  tx: Tx,
  events: readonly { id: string; people_pending: boolean }[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string; was_unreadable: boolean }>(sql`
    update notifications.events as event
    set matched_at = clock_timestamp(), people_pending = matched.people_pending
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as matched (id text, people_pending boolean)
    where event.id = matched.id and matched_at is null
    returning event.id, unreadable_at is not null as was_unreadable`)
  const unreadable = rows.filter(({ was_unreadable }) => was_unreadable).map(({ id }) => id)
  if (unreadable.length > 0) await forgetUnreadable(tx, unreadable)
  if (events.some(({ people_pending }) => people_pending)) await notify(tx, PEOPLE_NOTIFY)
  return new Set(rows.map(({ id }) => id))
}

/** False when another process has matched the event to people. */
export async function markPeopleMatched(tx: Tx, eventId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update notifications.events set people_pending = false where id = ${eventId} and people_pending returning id`)
  return rows.length === 1
}

/** Enabled subscriptions of these organizations whose channel can be sent to. */
export async function readSubscriptions(db: Querier, orgIds: readonly string[]) {
  return db.query<SubscriptionFacts & { org_id: string }>(sql`
    select subscription.id, subscription.org_id, pattern, timing, subscription.created_at, channel_id, kind,
      settings ->> 'address' as address, coalesce((settings ->> 'per_message')::int, 1) as per_message
    from notifications.subscriptions as subscription
    join notifications.channels as channel on channel.id = channel_id
    where subscription.org_id = any(${[...orgIds]}::text[]) and owner = 'organization' and enabled
      and channel.state = 'active'`)
}

export async function readPersonalSubscriptions(
  db: Querier,
  { orgId, owner, userIds }: { orgId: string; owner: 'reporter' | 'support_access'; userIds: readonly string[] },
) {
  return db.query<{ id: string; user_id: string }>(sql`
    select id, user_id from notifications.subscriptions
    where org_id = ${orgId} and owner = ${owner} and enabled and user_id = any(${[...userIds]}::text[])
    order by user_id`)
}

export async function hasNotifications(db: Querier, eventId: string): Promise<boolean> {
  const rows = await db.query(sql`select from notifications.notifications where event_id = ${eventId} limit 1`)
  return rows.length > 0
}

/** Who follows the category in the app, whether or not they may still see it. */
export async function readFollows(
  db: Querier,
  { org_id, appId, category }: { org_id: string; appId: string; category: string },
) {
  return db.query<{ user_id: string; timing: 'immediately' | 'hourly' | 'daily'; via: FollowWay }>(sql`
    select user_id, timing, via from notifications.follows
    where org_id = ${org_id} and app_id = ${appId} and ${category} = any(categories)
    order by user_id`)
}
