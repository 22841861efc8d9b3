import type { z } from 'zod'
import { notFound } from '#contract/core/errors.ts'
import type { DestinationKind } from '#contract/notifications/channels.ts'
import type { listDeliveries } from '#contract/notifications/deliveries.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { DeliveryState, Outcome } from '../model/outcome.ts'

/** One event for one destination, with what became of it. */
export type LedgerRow = {
  id: string
  kind: DestinationKind | 'none'
  channel_id: string | null
  user_id: string | null
  label: string | null
  dropped_reason: string | null
  window_end: Date | null
  created_at: Date
  event_id: string
  type: string
  body: unknown
  org_id: string
  occurred_at: Date
  delivery_id: string | null
  state: DeliveryState | null
  reason: string | null
  attempt: number | null
  next_at: Date | null
}

const SELECTED = sql`
  select notification.id, notification.kind, notification.channel_id, notification.user_id, channel.label,
    dropped_reason, notification.window_end, notification.created_at, event_id, event.type, event.body, event.org_id,
    event.occurred_at, delivery_id, delivery.state, delivery.reason, delivery.attempt, delivery.next_at
  from notifications.notifications as notification
  join notifications.events as event on event.id = event_id
  left join notifications.deliveries as delivery on delivery.id = delivery_id
  left join notifications.channels as channel on channel.id = notification.channel_id`

export type LedgerStatus = 'pending' | 'retrying' | 'delivered' | 'not_sent'
type LedgerFilter = Omit<z.output<typeof listDeliveries.input>, 'limit' | 'cursor'>

export async function pageLedger(
  db: Querier,
  orgId: string,
  { filter, before, limit }: { filter: LedgerFilter; before: string | null; limit: number },
): Promise<LedgerRow[]> {
  return db.query(sql`
    ${SELECTED}
    where notification.org_id = ${orgId} ${conditions(filter)}
      ${before === null ? sql`` : sql`and notification.id < ${before}`}
    order by notification.id desc limit ${limit + 1}`)
}

function conditions({ status, event_type, app, channel_id }: LedgerFilter): Sql {
  const isPrefix = event_type?.endsWith('.*')
  const type = isPrefix
    ? sql`and starts_with(event.type, ${event_type!.slice(0, -1)})`
    : sql`and event.type = ${event_type}`
  return sql`
    ${status === undefined ? sql`` : sql`and ${HAS_STATUS[status]}`}
    ${event_type === undefined ? sql`` : type}
    ${app === undefined ? sql`` : sql`and event.body -> 'app' ->> 'alias' = ${app}`}
    ${channel_id === undefined ? sql`` : sql`and notification.channel_id = ${channel_id}`}`
}

const IS_WAITING = sql`(delivery.state is null or delivery.state in ('pending', 'sending'))`

/**
 * In SQL what `statusOf` says of a row; a test compares the two. For queries that name their tables `notification` and
 * `delivery`.
 */
export const HAS_STATUS: Record<LedgerStatus, Sql> = {
  delivered: sql`(dropped_reason is null and delivery.state = 'sent')`,
  retrying: sql`(dropped_reason is null and delivery.state in ('pending', 'sending') and delivery.attempt > 0
    and (delivery.state = 'pending' or delivery.attempt > 1))`,
  pending: sql`(dropped_reason is null and ${IS_WAITING}
    and (delivery.attempt is null or delivery.attempt = 0 or delivery.state = 'sending' and delivery.attempt = 1))`,
  not_sent: sql`(dropped_reason is not null or delivery.state in ('failed', 'unknown', 'dropped'))`,
}

export async function requireLedgerRow(db: Querier, orgId: string, id: string): Promise<LedgerRow> {
  const [row] = await db.query<LedgerRow>(
    sql`${SELECTED} where notification.org_id = ${orgId} and notification.id = ${id}`,
  )
  if (!row) throw notFound('delivery')
  return row
}

/** Whether a resend of the message is under way. No other one can begin until the transaction ends. */
export async function isResent(tx: Tx, deliveryId: string): Promise<boolean> {
  // Two admins at once cannot both resend it: the second waits here, and the next statement sees the first resend.
  await tx.query(sql`select from notifications.deliveries where id = ${deliveryId} for update`)
  const underWay = await tx.query(sql`
    select from notifications.deliveries where resend_of = ${deliveryId} and state in ('pending', 'sending')`)
  return underWay.length > 0
}

export type AttemptRow = {
  attempt: number
  started_at: Date
  ended_at: Date | null
  outcome: Outcome['type'] | null
  reason: string | null
  status: number | null
}

/**
 * Attempts of a delivery and of the deliveries that resent it, oldest first. The last attempt is part of the delivery's
 * own row, unless a former release wrote it.
 */
export async function listAttempts(db: Querier, deliveryId: string): Promise<AttemptRow[]> {
  return db.query(sql`
    with delivery as (
      select * from notifications.deliveries where id = ${deliveryId} or resend_of = ${deliveryId}
    )
    select attempt.attempt, attempt.started_at, attempt.ended_at, attempt.outcome, attempt.reason, attempt.status
    from delivery join notifications.attempts as attempt on delivery_id = delivery.id
    union all
    select attempt, started_at, ended_at,
      case when ended_at is not null then coalesce(outcome, state) end, reason, status
    from delivery
    where started_at is not null and state <> 'pending' and not exists (
      select from notifications.attempts as attempt
      where attempt.delivery_id = delivery.id and attempt.attempt = delivery.attempt)
    order by started_at`)
}
