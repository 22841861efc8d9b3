import { lowestId } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { HAS_STATUS, type LedgerRow } from './store.ts'

const DAY_MS = 24 * 3_600_000

type Outcomes = { delivered: number; retried: number; not_sent: number; unknown: number; waiting: number }

const IS_UNKNOWN = sql`(dropped_reason is null and delivery.state = 'unknown')`

/** Counts rows of a query that names its tables `notification` and `delivery`. */
const COUNTS: Sql = sql`
  (count(*) filter (where ${HAS_STATUS.delivered}))::int as delivered,
  (count(*) filter (where ${HAS_STATUS.delivered} and delivery.attempt > 1))::int as retried,
  (count(*) filter (where ${HAS_STATUS.not_sent} and not ${IS_UNKNOWN}))::int as not_sent,
  (count(*) filter (where ${IS_UNKNOWN}))::int as unknown,
  (count(*) filter (where ${HAS_STATUS.pending} or ${HAS_STATUS.retrying}))::int as waiting`

type Span = { orgId: string; days: number; now: Date }

/** The organization's timezone, and the local midnight at which the first of the days begins. */
function window({ orgId, days, now }: Span): Sql {
  return sql`
    select zone, (date_trunc('day', ${now}::timestamptz at time zone zone) - make_interval(days => ${days - 1}::int)) as first
    from (select coalesce((select timezone from notifications.settings where org_id = ${orgId}), 'UTC') as zone) as settings`
}

/** Ids sort by time, so that the index of the ledger finds them. A day more covers every timezone. */
function inWindow({ orgId, days, now }: Span): Sql {
  const first = lowestId('ntf', new Date(now.getTime() - (days + 1) * DAY_MS))
  return sql`notification.org_id = ${orgId} and notification.id >= ${first}
    and notification.created_at >= span.first at time zone span.zone`
}

export async function countByChannel(db: Querier, span: Span) {
  return db.query<Outcomes & Pick<LedgerRow, 'kind' | 'channel_id' | 'label'>>(sql`
    with span as (${window(span)})
    select notification.kind, notification.channel_id, min(channel.label) as label, ${COUNTS}
    from span, notifications.notifications as notification
    left join notifications.deliveries as delivery on delivery.id = delivery_id
    left join notifications.channels as channel on channel.id = notification.channel_id
    where ${inWindow(span)}
    group by notification.kind, notification.channel_id
    order by count(*) desc, kind, channel_id limit 100`)
}

export async function countByDay(db: Querier, span: Span) {
  return db.query<Outcomes & { day: string; to_nobody: number }>(sql`
    with span as (${window(span)}),
    counted as (
      select date_trunc('day', notification.created_at at time zone zone) as day, ${COUNTS},
        (count(*) filter (where notification.kind = 'none'))::int as to_nobody
      from span, notifications.notifications as notification
      left join notifications.deliveries as delivery on delivery.id = delivery_id
      where ${inWindow(span)}
      group by 1
    )
    select to_char(day, 'YYYY-MM-DD') as day, coalesce(delivered, 0) as delivered,
      coalesce(retried, 0) as retried, coalesce(not_sent, 0) as not_sent,
      coalesce(unknown, 0) as unknown, coalesce(waiting, 0) as waiting,
      coalesce(to_nobody, 0) as to_nobody
    from span, generate_series(first, first + make_interval(days => ${span.days - 1}::int), interval '1 day') as day
    left join counted using (day)
    order by day`)
}
