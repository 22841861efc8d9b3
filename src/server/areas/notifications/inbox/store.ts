import type { EventType } from '#contract/core/events.ts'
import { subjectLine } from '#contract/core/subject-line.ts'
import { newId } from '#edge/ids.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type InboxRow = {
  id: string
  event_type: string
  subject: string
  occurred_at: Date
  org_id: string
  app: string | null
  link: string
  read_at: Date | null
}

/** What is told of an event; `event_id` is that of the outbox. */
export type Told = Omit<InboxRow, 'id' | 'event_type' | 'read_at'> & { event_id: string; event_type: EventType }

/** Answers the entries that are new: a replay of the event makes none. */
export async function addToInbox(
  tx: Tx,
  told: Told,
  userIds: readonly string[],
): Promise<{ id: string; user_id: string }[]> {
  // Always in the same order: two replays at once would otherwise wait for each other.
  const people = [...new Set(userIds)].sort()
  const ids = people.map(() => newId('ntf'))
  return tx.query(sql`
    insert into notifications.inbox (id, user_id, event_id, org_id, event_type, subject, occurred_at, app, link)
    select id, user_id, ${told.event_id}, ${told.org_id}, ${told.event_type}, ${subjectLine(told.subject)},
           ${told.occurred_at}::timestamptz, ${told.app}, ${told.link}
    from unnest(${ids}::text[], ${people}::text[]) with ordinality as person (id, user_id, n)
    order by n
    on conflict (event_id, user_id) do nothing
    returning id, user_id`)
}

export type Whose = { org_id: string; user_id: string }

const COLUMNS = sql`id, event_type, subject, occurred_at, org_id, app, link, read_at`

export async function pageInbox(
  db: Querier,
  { org_id, user_id }: Whose,
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

/** The first time stays. Undefined when this person has no such entry here. */
export async function markRead(db: Querier, id: string, { org_id, user_id }: Whose, now: Date) {
  const rows = await db.query<InboxRow>(sql`
    update notifications.inbox set read_at = coalesce(read_at, ${now})
    where id = ${id} and user_id = ${user_id} and org_id = ${org_id}
    returning ${COLUMNS}`)
  return rows[0]
}
