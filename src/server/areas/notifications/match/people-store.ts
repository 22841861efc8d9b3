import { EVENTS } from '#contract/core/events.ts'
import type { FollowWay } from '#contract/notifications/follows.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { MatchedEvent } from '../model/notification.ts'
import { type EventRow, readEvent } from '../model/stored-event.ts'
import { mailedAbout } from './mailed-about.ts'

type PendingEvent = { id: string; event: MatchedEvent | undefined; received_at: Date }

/** Returns the ids of events that may go to people: followers of their app, their reporter, or owners and admins. */
export async function findForPeople(db: Querier, events: readonly MatchedEvent[]): Promise<Set<string>> {
  const mailed = events.filter((event) => mailedAbout(event) !== undefined).map(({ id }) => id)
  return new Set([...mailed, ...(await findFollowed(db, events))])
}

async function findFollowed(db: Querier, events: readonly MatchedEvent[]): Promise<string[]> {
  const followable = events.flatMap(({ id, org_id, type, body }) => {
    const { category } = EVENTS[type]
    return category !== null && 'app' in body ? [{ id, org_id, app_id: body.app.id, category }] : []
  })
  if (followable.length === 0) return []
  const rows = await db.query<{ id: string }>(sql`
    select id from jsonb_to_recordset(${JSON.stringify(followable)}::jsonb)
      as event (id text, org_id text, app_id text, category text)
    where exists (
      select from notifications.follows as follow
      where follow.org_id = event.org_id and follow.app_id = event.app_id and event.category = any(follow.categories))`)
  return rows.map(({ id }) => id)
}

/** The oldest events that still have to be matched to people. */
export async function readPeoplePending(
  db: Querier,
  { after, limit }: { after: string; limit: number },
): Promise<PendingEvent[]> {
  const rows = await db.query<EventRow & { received_at: Date }>(sql`
    select id, org_id, type, body, occurred_at, received_at from notifications.events
    where people_pending and id > ${after} order by id limit ${limit}`)
  return rows.map((row) => ({ id: row.id, event: readEvent(row), received_at: row.received_at }))
}

/** False when another process has matched the event to people. */
export async function markPeopleMatched(tx: Tx, eventId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update notifications.events set people_pending = false where id = ${eventId} and people_pending returning id`)
  return rows.length === 1
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

/** Returns the people who follow the category in the app, also those who may not see the app any more. */
export async function readFollows(
  db: Querier,
  { org_id, appId, category }: { org_id: string; appId: string; category: string },
) {
  return db.query<{ user_id: string; timing: 'immediately' | 'hourly' | 'daily'; via: FollowWay }>(sql`
    select user_id, timing, via from notifications.follows
    where org_id = ${org_id} and app_id = ${appId} and ${category} = any(categories)
    order by user_id`)
}
