import { lowestId } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { identifier, integer, type Sql, sql } from '#lib/db/sql.ts'

/**
 * Each function is one short statement. Rows that another transaction holds are left for the next time. Only rows that
 * ended are locked, so a claim never waits for a deletion.
 */
type Batch = { before: Date; limit: number }
type IdBatch = { beforeId: string; limit: number }
/** Where the last step of a walk over old rows ended. The first begins with an empty text. */
type Step = Batch & { after: string }

type Walked = { looked_at: number; last: string | null }

/**
 * Looks at the next `limit` old rows and deletes those that nothing needs any more. Returns where to go on, undefined at
 * the end. So each row is looked at once in a walk, also if it has to stay, and the size of the tables does not matter:
 * `offset 0` in the conditions lets Postgres find what belongs to a row by its index alone, and never by reading a table.
 */
async function walk(
  db: Querier,
  table: 'notifications' | 'deliveries' | 'events',
  { beforeId, after, limit }: IdBatch & { after: string },
  isOver: Sql,
): Promise<string | undefined> {
  const name = identifier('notifications', table)
  const [row] = await db.query<Walked>(sql`
    with old as materialized (
      select id from ${name} where id > ${after} and id < ${beforeId} order by id limit ${integer(limit)}
    ), deleted as (
      delete from ${name} where id in (
        select one.id from old join ${name} as one on one.id = old.id where ${isOver} for update of one skip locked)
    )
    select count(*)::int as looked_at, max(id) as last from old`)
  return row!.looked_at < limit ? undefined : row!.last!
}

/** Notifications that were dropped, or whose message ended and is not being sent again. */
export function deleteNotifications(db: Querier, { before, ...step }: Step): Promise<string | undefined> {
  const isOver = sql`(dropped_reason is not null or exists (
    select from notifications.deliveries as delivery
    where delivery.id = one.delivery_id and delivery.state in ('sent', 'failed', 'unknown', 'dropped')
      and delivery.ended_at < ${before} and not exists (
        select from notifications.deliveries as resend
        where resend.resend_of = delivery.id and resend.state in ('pending', 'sending') offset 0)
    offset 0))`
  return walk(db, 'notifications', { ...step, beforeId: lowestId('ntf', before) }, isOver)
}

/** Messages that ended and that no notification and no resend belongs to. Their attempts are deleted with them. */
export function deleteDeliveries(db: Querier, { before, ...step }: Step): Promise<string | undefined> {
  const isOver = sql`state in ('sent', 'failed', 'unknown', 'dropped') and ended_at < ${before}
    and not exists (select from notifications.notifications where delivery_id = one.id offset 0)
    and not exists (select from notifications.deliveries as resend where resend.resend_of = one.id offset 0)`
  return walk(db, 'deliveries', { ...step, beforeId: lowestId('dlv', before) }, isOver)
}

/** Events that were matched and whose notifications are deleted. */
export function deleteEvents(db: Querier, { before, ...step }: Step): Promise<string | undefined> {
  const isOver = sql`matched_at is not null and not people_pending
    and not exists (select from notifications.notifications where event_id = one.id offset 0)`
  return walk(db, 'events', { ...step, beforeId: lowestId('evt', before) }, isOver)
}

/** Deletes at most `limit` entries and returns how many. */
export async function deleteInboxEntries(db: Querier, { beforeId, limit }: IdBatch): Promise<number> {
  const rows = await db.query(sql`
    delete from notifications.inbox where id in (
      select id from notifications.inbox where id < ${beforeId} order by id limit ${limit} for update skip locked)
    returning id`)
  return rows.length
}

/** Deletes at most `limit` mails that the embedded default keeps, and returns how many. */
export async function deleteKeptMails(db: Querier, { before, limit }: Batch): Promise<number> {
  const rows = await db.query(sql`
    delete from notifications.mailbox where delivery_id in (
      select delivery_id from notifications.mailbox where kept_at < ${before} order by kept_at limit ${limit})
    returning delivery_id`)
  return rows.length
}
