import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import type { MatchedEvent } from '../model/notification.ts'
import { type EventRow, readEvent } from '../model/stored-event.ts'
import { PEOPLE_NOTIFY } from '../store/events.ts'
import type { SubscriptionFacts } from './match.ts'
import { forgetUnreadable } from './unreadable-store.ts'

type Page = { after: string; limit: number }

/** `event` is undefined where only a newer release can read it. */
type UnmatchedEvent = { id: string; org_id: string; type: string; event: MatchedEvent | undefined }

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
  return rows.map((row) => ({ id: row.id, org_id: row.org_id, type: row.type, event: readEvent(row) }))
}

/** False when another process has matched the event. The entry of an event that a release could not read is removed. */
export async function markMatched(tx: Tx, eventId: string, isForPeople: boolean): Promise<boolean> {
  const [row] = await tx.query<{ was_unreadable: boolean }>(sql`
    update notifications.events set matched_at = clock_timestamp(), people_pending = ${isForPeople}
    where id = ${eventId} and matched_at is null
    returning unreadable_at is not null as was_unreadable`)
  if (row?.was_unreadable) await forgetUnreadable(tx, [eventId])
  if (row && isForPeople) await notify(tx, PEOPLE_NOTIFY)
  return row !== undefined
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
