import type { EventType } from '#contract/core/events.ts'
import { subjectLine } from '#contract/core/subject-line.ts'
import type { InboxEntry } from '#contract/notifications/inbox.ts'
import { newId, timeOfId } from '#edge/ids.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { INBOX_NOTIFY } from '#ports/inbox.ts'

export type InboxRow = Omit<InboxEntry, 'occurred_at' | 'app' | 'read_at'> & {
  occurred_at: Date
  app: string | null
  read_at: Date | null
}

/** An event as its entries show it. `event_id` is the id that it had in the outbox. */
export type InboxEvent = Omit<InboxRow, 'id' | 'event_type' | 'read_at'> & { event_id: string; event_type: EventType }

/**
 * Adds an entry for each of the people and returns the new ones. Adding the same event again makes none.
 *
 * The entries of one inbox become visible in the order of their ids, so that a reader who has seen an entry can ask for
 * those after it and misses none that is committed late. For that, the inboxes are locked until the transaction ends.
 */
export async function addToInbox(
  tx: Tx,
  event: InboxEvent,
  userIds: readonly string[],
): Promise<{ id: string; user_id: string }[]> {
  // In the same order every time, because two transactions that add the same event could otherwise deadlock.
  const people = [...new Set(userIds)].sort()
  if (people.length === 0) return []
  await lockInboxes(tx, event.org_id, people)
  const newest = await newestEntry(tx, event.org_id, people)
  const ids = people.map(() => idAfter(newest))
  return tx.query(sql`
    with added as (
      insert into notifications.inbox (id, user_id, event_id, org_id, event_type, subject, occurred_at, app, link)
      select id, user_id, ${event.event_id}, ${event.org_id}, ${event.event_type}, ${subjectLine(event.subject)},
             ${event.occurred_at}::timestamptz, ${event.app}, ${event.link}
      from unnest(${ids}::text[], ${people}::text[]) with ordinality as person (id, user_id, n)
      order by n
      on conflict (event_id, user_id) do nothing
      returning id, user_id),
    notified as (select id, user_id, pg_notify(${INBOX_NOTIFY}, user_id) from added)
    select id, user_id from notified order by user_id`)
}

async function lockInboxes(tx: Tx, orgId: string, people: readonly string[]): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended('inbox ' || ${orgId}::text || ' ' || user_id, 0) as key
      from unnest(${people}::text[]) as person (user_id) order by key) as inbox`)
}

/** Reads in a statement of its own after the lock, because a statement sees only what was committed before it began. */
async function newestEntry(tx: Tx, orgId: string, people: readonly string[]): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string | null }>(sql`
    select max(newest.id) as id from unnest(${people}::text[]) as person (user_id)
    cross join lateral (
      select id from notifications.inbox where user_id = person.user_id and org_id = ${orgId}
      order by id desc limit 1) as newest`)
  return row?.id ?? undefined
}

/** Makes an id that sorts after `newest`, also if the clock of the process that made that one is ahead. */
function idAfter(newest: string | undefined): string {
  return newId('ntf', newest === undefined ? Date.now() : Math.max(Date.now(), timeOfId(newest) + 1))
}

/** Each person has an inbox in each of their organizations. */
export type InboxOwner = { org_id: string; user_id: string }

const COLUMNS = sql`id, event_type, subject, occurred_at, org_id, app, link, read_at`

/** Facts about an entry and its event that decide who may still see it. */
export type EntryFacts = Pick<InboxRow, 'app'> & { app_id: string | null; is_reply_to_own_ticket: boolean }
export type EntryRow = InboxRow & EntryFacts

type Page = { unread: boolean; limit: number }

/** Reads one row more than `limit`, newest first. */
export async function pageInbox(
  db: Querier,
  owner: InboxOwner,
  { before, ...page }: Page & { before: string | null },
): Promise<EntryRow[]> {
  const rows = await readEntries(db, owner, {
    ...page,
    limit: page.limit + 1,
    place: before === null ? sql`true` : sql`id < ${before}`,
    order: sql`id desc`,
  })
  return rows.toReversed()
}

/** Reads the entries after the one with the id `after`, oldest first. */
export function pageNewEntries(
  db: Querier,
  owner: InboxOwner,
  { after, ...page }: Page & { after: string },
): Promise<EntryRow[]> {
  return readEntries(db, owner, { ...page, place: sql`id > ${after}`, order: sql`id` })
}

/** Returns the first entries in `order`, oldest first. The events of old entries may be deleted. */
function readEntries(
  db: Querier,
  { org_id, user_id }: InboxOwner,
  { unread, limit, place, order }: Page & { place: Sql; order: Sql },
): Promise<EntryRow[]> {
  return db.query<EntryRow>(sql`
    select entry.*, ${factsFor(user_id)}
    from (
      select event_id, ${COLUMNS} from notifications.inbox
      where user_id = ${user_id} and org_id = ${org_id} and ${place}
        ${unread ? sql`and read_at is null` : sql``}
      order by ${order} limit ${limit}) as entry
    left join notifications.events as event on event.id = entry.event_id
    order by entry.id`)
}

function factsFor(userId: string): Sql {
  return sql`event.body -> 'app' ->> 'id' as app_id,
    coalesce(event.type = 'support.ticket.replied' and event.body ->> 'reporter_id' = ${userId}, false)
      as is_reply_to_own_ticket`
}

/** Returns undefined for an empty inbox. */
export async function newestEntryId(db: Querier, { org_id, user_id }: InboxOwner): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql`
    select id from notifications.inbox where user_id = ${user_id} and org_id = ${org_id} order by id desc limit 1`)
  return row?.id
}

/** Counts unread entries, one row for all that are visible together. Stops at `most`, because nobody reads a larger number. */
export function countUnreadEntries(
  db: Querier,
  { org_id, user_id }: InboxOwner,
  most: number,
): Promise<(EntryFacts & { unread: number })[]> {
  return db.query(sql`
    select entry.app, ${factsFor(user_id)}, count(*)::int as unread
    from (
      select event_id, app from notifications.inbox
      where user_id = ${user_id} and org_id = ${org_id} and read_at is null limit ${most}) as entry
    left join notifications.events as event on event.id = entry.event_id
    group by 1, 2, 3`)
}

/** Keeps the time of the first call. Returns undefined when this inbox has no such entry. */
export async function markRead(db: Querier, id: string, { org_id, user_id }: InboxOwner, now: Date) {
  const rows = await db.query<InboxRow>(sql`
    update notifications.inbox set read_at = coalesce(read_at, ${now})
    where id = ${id} and user_id = ${user_id} and org_id = ${org_id}
    returning ${COLUMNS}`)
  return rows[0]
}

/** Marks the unread entries up to the one with the id `newest`, and returns how many they were. */
export async function markAllRead(db: Querier, { org_id, user_id }: InboxOwner, newest: string, now: Date) {
  const [row] = await db.query<{ marked: number }>(sql`
    with marked as (
      update notifications.inbox set read_at = ${now}
      where user_id = ${user_id} and org_id = ${org_id} and id <= ${newest} and read_at is null
      returning 1)
    select count(*)::int as marked from marked`)
  return row!.marked
}
