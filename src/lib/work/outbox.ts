import type { Querier, Tx } from '../db/db.ts'
import { notify } from '../db/notify.ts'
import { sql } from '../db/sql.ts'
import { makeId } from '../ids.ts'

type OutboxEvent = { type: string; org_id: string; occurred_at: Date; body: object }
export type StoredEvent = OutboxEvent & { id: string }

/** Notified at the commit of every transaction that wrote an event. */
export const OUTBOX_CHANNEL = 'svc_outbox'

/** Writes an event in the transaction of its change, so that both are committed or neither. Returns the event's id. */
export async function writeEvent(tx: Tx, { type, org_id, occurred_at, body }: OutboxEvent): Promise<string> {
  const id = makeId('evt')
  await tx.query(sql`
    insert into svc.outbox (id, org_id, type, body, occurred_at)
    values (${id}, ${org_id}, ${type}, ${JSON.stringify(body)}, ${occurred_at})`)
  await notify(tx, OUTBOX_CHANNEL)
  return id
}

/** Whether there are events, also those that another transaction is taking. */
export async function hasEvents(db: Querier): Promise<boolean> {
  return (await db.query(sql`select from svc.outbox limit 1`)).length > 0
}

/**
 * Removes up to `limit` events from the outbox and returns them, oldest id first. The caller stores them in the same
 * transaction: if it rolls back, they are still in the outbox. Callers in other transactions get other events.
 *
 * Events are removed instead of remembering the last id read, because ids are not committed in their order: an event
 * of a long transaction becomes visible after events with higher ids.
 */
export async function takeEvents(tx: Tx, limit: number): Promise<StoredEvent[]> {
  // The ids as an array: while Postgres takes the outbox for empty, it would join the two by reading one for each row
  // of the other.
  return tx.query<StoredEvent>(sql`
    with oldest as materialized (
      select id from svc.outbox order by id limit ${limit} for update skip locked
    ), taken as (
      delete from svc.outbox where id = any(array(select id from oldest))
      returning id, org_id, type, body, occurred_at
    )
    select id, org_id, type, body, occurred_at from taken order by id`)
}
