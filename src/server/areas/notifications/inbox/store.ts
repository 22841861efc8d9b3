import type { EventType } from '#contract/core/events.ts'
import { subjectLine } from '#contract/core/subject-line.ts'
import type { InboxEntry } from '#contract/notifications/inbox.ts'
import { newId } from '#edge/ids.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type InboxRow = Omit<InboxEntry, 'occurred_at' | 'app' | 'read_at'> & {
  occurred_at: Date
  app: string | null
  read_at: Date | null
}

/** An event as its entries show it. `event_id` is the id that it had in the outbox. */
export type InboxEvent = Omit<InboxRow, 'id' | 'event_type' | 'read_at'> & { event_id: string; event_type: EventType }

/** Adds an entry for each of the people and returns the new ones. Adding the same event again makes none. */
export async function addToInbox(
  tx: Tx,
  event: InboxEvent,
  userIds: readonly string[],
): Promise<{ id: string; user_id: string }[]> {
  // In the same order every time, because two transactions that add the same event could otherwise deadlock.
  const people = [...new Set(userIds)].sort()
  const ids = people.map(() => newId('ntf'))
  return tx.query(sql`
    insert into notifications.inbox (id, user_id, event_id, org_id, event_type, subject, occurred_at, app, link)
    select id, user_id, ${event.event_id}, ${event.org_id}, ${event.event_type}, ${subjectLine(event.subject)},
           ${event.occurred_at}::timestamptz, ${event.app}, ${event.link}
    from unnest(${ids}::text[], ${people}::text[]) with ordinality as person (id, user_id, n)
    order by n
    on conflict (event_id, user_id) do nothing
    returning id, user_id`)
}

/** Each person has an inbox in each of their organizations. */
export type InboxOwner = { org_id: string; user_id: string }

const COLUMNS = sql`id, event_type, subject, occurred_at, org_id, app, link, read_at`

export async function pageInbox(
  db: Querier,
  { org_id, user_id }: InboxOwner,
  { unread, before, limit }: { unread: boolean; before: string | null; limit: number },
): Promise<InboxRow[]> {
  return db.query<InboxRow>(sql`
    select ${COLUMNS}
    from notifications.inbox
    where user_id = ${user_id} and org_id = ${org_id}
      ${unread ? sql`and read_at is null` : sql``}
      ${before === null ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit + 1}`)
}

/** Stops at `most`, because nobody reads a larger number. */
export async function countUnreadEntries(db: Querier, { org_id, user_id }: InboxOwner, most: number): Promise<number> {
  const [row] = await db.query<{ unread: number }>(sql`
    select count(*)::int as unread from (
      select from notifications.inbox
      where user_id = ${user_id} and org_id = ${org_id} and read_at is null limit ${most}) as entry`)
  return row!.unread
}

/** Keeps the time of the first call. Returns undefined when this inbox has no such entry. */
export async function markRead(db: Querier, id: string, { org_id, user_id }: InboxOwner, now: Date) {
  const rows = await db.query<InboxRow>(sql`
    update notifications.inbox set read_at = coalesce(read_at, ${now})
    where id = ${id} and user_id = ${user_id} and org_id = ${org_id}
    returning ${COLUMNS}`)
  return rows[0]
}
