import { readStoredEvent } from '#contract/core/events.ts'
import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { addNotifications } from '../store/enqueue.ts'
import { recordUnreadable, UNREADABLE_KEY } from './match.ts'

/** An event that a newer release wrote, so that only its type and organization are known here. */
export type UnreadableEvent = { id: string; org_id: string; type: string }

/**
 * Shows events that this release cannot read in the ledger, where they wait for a release that can. Returns those that
 * were not noted before.
 */
export async function noteUnreadable(tx: Tx, events: readonly UnreadableEvent[]): Promise<UnreadableEvent[]> {
  // The update locks the events: a release that can read them matches them either before this or after it.
  const rows = await tx.query<{ id: string }>(sql`
    update notifications.events set unreadable_at = clock_timestamp()
    where id = any(${events.map(({ id }) => id)}::text[]) and matched_at is null and unreadable_at is null
    returning id`)
  const noted = new Set(rows.map(({ id }) => id))
  const ours = events.filter(({ id }) => noted.has(id))
  const waiting = ours.map((event) => recordUnreadable(event))
  await addNotifications(tx, waiting)
  return ours
}

/** Removes the entries of events that turned out to be readable. */
export async function forgetUnreadable(tx: Tx, eventIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    delete from notifications.notifications
    where event_id = any(${[...eventIds]}::text[]) and destination_key = ${UNREADABLE_KEY}`)
}

/**
 * Ends old events that this release cannot read and that no other has matched, so that they can be deleted later.
 * Returns how many.
 */
export async function dropUnreadable(db: Db, page: { beforeId: string; limit: number }): Promise<number> {
  const unreadable = (await readWaiting(db, page)).filter((event) => readStoredEvent(event) === undefined)
  if (unreadable.length === 0) return 0
  return db.tx(async (tx) => {
    const rows = await tx.query<{ id: string }>(sql`
      update notifications.events set matched_at = coalesce(matched_at, clock_timestamp()), people_pending = false
      where id = any(${unreadable.map(({ id }) => id)}::text[]) and (matched_at is null or people_pending)
      returning id`)
    const ended = new Set(rows.map(({ id }) => id))
    const dropped = unreadable.filter(({ id }) => ended.has(id))
    await forgetUnreadable(tx, [...ended])
    const entries = dropped.map((event) => recordUnreadable(event, 'unreadable'))
    await addNotifications(tx, entries)
    return dropped.length
  })
}

type WaitingEvent = UnreadableEvent & { body: unknown; occurred_at: Date }

async function readWaiting(db: Querier, { beforeId, limit }: { beforeId: string; limit: number }) {
  return db.query<WaitingEvent>(sql`
    (select id, org_id, type, body, occurred_at from notifications.events
     where matched_at is null and id < ${beforeId} order by id limit ${limit})
    union all
    (select id, org_id, type, body, occurred_at from notifications.events
     where people_pending and matched_at is not null and id < ${beforeId} order by id limit ${limit})`)
}
