import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/**
 * Each function deletes at most `limit` rows in one short statement and returns how many. Rows that another transaction
 * holds are left for the next time. Only rows that ended are locked, so a claim never waits for a deletion.
 */
type Batch = { before: Date; limit: number }
type IdBatch = { beforeId: string; limit: number }

/** Notifications that were dropped, or whose message ended and is not being sent again. */
export async function deleteNotifications(db: Querier, { before, limit }: Batch): Promise<number> {
  const rows = await db.query(sql`
    delete from notifications.notifications where id in (
      select notification.id from notifications.notifications as notification
      where created_at < ${before} and (dropped_reason is not null or exists (
        select from notifications.deliveries as delivery
        where delivery.id = notification.delivery_id and delivery.state in ('sent', 'failed', 'unknown', 'dropped')
          and delivery.ended_at < ${before} and not exists (
            select from notifications.deliveries as resend
            where resend.resend_of = delivery.id and resend.state in ('pending', 'sending'))))
      order by created_at limit ${limit}
      for update skip locked)
    returning id`)
  return rows.length
}

/** Messages that ended and that no notification and no resend belongs to. Their attempts are deleted with them. */
export async function deleteDeliveries(db: Querier, { before, limit }: Batch): Promise<number> {
  const rows = await db.query(sql`
    delete from notifications.deliveries where id in (
      select delivery.id from notifications.deliveries as delivery
      where created_at < ${before} and state in ('sent', 'failed', 'unknown', 'dropped') and ended_at < ${before}
        and not exists (select from notifications.notifications where delivery_id = delivery.id)
        and not exists (select from notifications.deliveries as resend where resend.resend_of = delivery.id)
      order by created_at limit ${limit}
      for update skip locked)
    returning id`)
  return rows.length
}

/** Events that were matched and whose notifications are deleted. */
export async function deleteEvents(db: Querier, { beforeId, limit }: IdBatch): Promise<number> {
  const rows = await db.query(sql`
    delete from notifications.events where id in (
      select event.id from notifications.events as event
      where id < ${beforeId} and matched_at is not null and not people_pending
        and not exists (select from notifications.notifications where event_id = event.id)
      order by id limit ${limit}
      for update skip locked)
    returning id`)
  return rows.length
}

export async function deleteInboxEntries(db: Querier, { beforeId, limit }: IdBatch): Promise<number> {
  const rows = await db.query(sql`
    delete from notifications.inbox where id in (
      select id from notifications.inbox where id < ${beforeId} order by id limit ${limit} for update skip locked)
    returning id`)
  return rows.length
}

/** Mails that the embedded default keeps. */
export async function deleteKeptMails(db: Querier, { before, limit }: Batch): Promise<number> {
  const rows = await db.query(sql`
    delete from notifications.mailbox where delivery_id in (
      select delivery_id from notifications.mailbox where kept_at < ${before} order by kept_at limit ${limit})
    returning delivery_id`)
  return rows.length
}
