import type { FollowCategory } from '#contract/core/event-definition.ts'
import type { FollowWay } from '#contract/notifications/follows.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { HAS_STATUS, type LedgerRow } from '../ledger/store.ts'
import type { Timing } from '../model/notification.ts'

type Follower = { org_id: string; user_id: string }

type FollowRow = { app_id: string; categories: FollowCategory[]; timing: Timing; via: FollowWay }

/** The newest notification of a followed app that is not waiting for its first attempt. */
type LastRow = Pick<LedgerRow, 'dropped_reason' | 'state' | 'reason' | 'attempt' | 'type' | 'occurred_at'>

export type FollowWithOutcome = FollowRow & { last: LastRow | null }

/** Reads the apps that a person follows, or with `appId` at most that one. */
export async function readFollowsOf(
  db: Querier,
  { org_id, user_id }: Follower,
  appId?: string,
): Promise<FollowWithOutcome[]> {
  const rows = await db.query<FollowRow & { [K in keyof LastRow]: LastRow[K] | null }>(sql`
    select follow.app_id, categories, timing, via, last.dropped_reason, last.state, last.reason, last.attempt, last.type,
      last.occurred_at
    from notifications.follows as follow
    left join lateral (
      select dropped_reason, delivery.state, delivery.reason, delivery.attempt, event.type, event.occurred_at
      from notifications.notifications as notification
      join notifications.events as event on event.id = event_id
      left join notifications.deliveries as delivery on delivery.id = delivery_id
      where notification.user_id = follow.user_id and notification.app_id = follow.app_id
        and notification.org_id = follow.org_id and notification.subscription_id is null
        and not ${HAS_STATUS.pending}
      order by notification.id desc limit 1
    ) as last on true
    where follow.org_id = ${org_id} and follow.user_id = ${user_id}
      ${appId === undefined ? sql`` : sql`and follow.app_id = ${appId}`}
    order by follow.app_id`)
  return rows.map(({ app_id, categories, timing, via, type, occurred_at, ...last }) => ({
    app_id,
    categories,
    timing,
    via,
    last: type === null || occurred_at === null ? null : { ...last, type, occurred_at },
  }))
}

export async function saveFollow(
  db: Querier,
  { org_id, user_id }: Follower,
  { app_id, categories, timing, via }: FollowRow,
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into notifications.follows (org_id, user_id, app_id, categories, timing, via, updated_at)
    values (${org_id}, ${user_id}, ${app_id}, ${categories}::text[], ${timing}, ${via}, ${now})
    on conflict (org_id, app_id, user_id) do update
      set categories = excluded.categories, timing = excluded.timing, via = excluded.via, updated_at = excluded.updated_at`)
}

/** Returns false when the person did not follow the app. */
export async function removeFollow(db: Querier, { org_id, user_id }: Follower, appId: string): Promise<boolean> {
  const rows = await db.query(sql`
    delete from notifications.follows
    where org_id = ${org_id} and user_id = ${user_id} and app_id = ${appId} returning app_id`)
  return rows.length === 1
}
