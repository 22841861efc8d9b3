import { notFound } from '#contract/core/errors.ts'
import type { TicketStatus } from '#contract/tickets.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { Viewer } from './viewer.ts'

export type TicketRow = {
  id: string
  org_id: string
  app_id: string
  title: string
  body: string
  status: TicketStatus
  reporter_id: string | null
  created_at: Date
  updated_at: Date
}

type TicketLookup = { appId: string; id: string; viewer: Viewer }

/** Holds off other tickets of this reporter on the app until the transaction ends, so that their number stays counted. */
export async function lockReporter(tx: Tx, appId: string, reporterId: string | null): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${`tickets ${appId} ${reporterId ?? ''}`}, 0))`)
}

export async function countUndone(tx: Tx, appId: string, reporterId: string | null): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from tickets.tickets
    where app_id = ${appId} and reporter_id is not distinct from ${reporterId} and status <> 'done'`)
  return row!.count
}

export async function insertTicket(tx: Tx, row: TicketRow): Promise<void> {
  await tx.query(sql`
    insert into tickets.tickets (id, org_id, app_id, title, body, status, reporter_id, created_at, updated_at)
    values (${row.id}, ${row.org_id}, ${row.app_id}, ${row.title}, ${row.body}, ${row.status}, ${row.reporter_id},
      ${row.created_at}, ${row.updated_at})`)
}

/** Throws "No such ticket." for a ticket of another app and for one that the viewer may not see. */
export async function requireTicket(
  db: Querier,
  { appId, id, viewer }: TicketLookup,
  lock = sql``,
): Promise<TicketRow> {
  const [row] = await db.query<TicketRow>(sql`
    select id, org_id, app_id, title, body, status, reporter_id, created_at, updated_at from tickets.tickets
    where app_id = ${appId} and id = ${id} ${viewer.isInsider ? sql`` : filedBy(viewer)} ${lock}`)
  if (!row) throw notFound('ticket')
  return row
}

/** As `requireTicket`, and holds off other changes of the ticket until the transaction ends. */
export function lockTicket(tx: Tx, lookup: TicketLookup): Promise<TicketRow> {
  return requireTicket(tx, lookup, sql`for no key update`)
}

function filedBy({ userId }: Viewer): Sql {
  return sql`and reporter_id = ${userId}`
}

type Page = {
  appId: string
  viewer: Viewer
  status: TicketStatus | undefined
  mine: boolean
  after: string | null
  limit: number
}

/** Newest first, one row more than `limit`. */
export async function pageTickets(db: Querier, { appId, viewer, status, mine, after, limit }: Page) {
  return db.query<Omit<TicketRow, 'body'>>(sql`
    select id, org_id, app_id, title, status, reporter_id, created_at, updated_at from tickets.tickets
    where app_id = ${appId} and (${after}::text is null or id < ${after})
      ${viewer.isInsider && !mine ? sql`` : filedBy(viewer)}
      ${status === undefined ? sql`` : sql`and status = ${status}`}
    order by id desc limit ${limit + 1}`)
}

export async function setStatus(tx: Tx, id: string, { status, at }: { status: TicketStatus; at: Date }): Promise<void> {
  await tx.query(sql`update tickets.tickets set status = ${status}, updated_at = ${at} where id = ${id}`)
}
