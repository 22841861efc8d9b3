import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Viewer } from './viewer.ts'

export type ReplyRow = {
  id: string
  ticket_id: string
  author_id: string | null
  internal: boolean
  body: string
  created_at: Date
}

export async function countReplies(tx: Tx, ticketId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from tickets.replies where ticket_id = ${ticketId}`)
  return row!.count
}

/** A public reply also changes when the ticket was updated. An internal one leaves no trace that its reporter could see. */
export async function insertReply(tx: Tx, row: ReplyRow): Promise<void> {
  await tx.query(sql`
    insert into tickets.replies (id, ticket_id, author_id, internal, body, created_at)
    values (${row.id}, ${row.ticket_id}, ${row.author_id}, ${row.internal}, ${row.body}, ${row.created_at})`)
  if (row.internal) return
  await tx.query(sql`update tickets.tickets set updated_at = ${row.created_at} where id = ${row.ticket_id}`)
}

type Page = { ticketId: string; viewer: Viewer; after: string | null; limit: number }

/** Newest first, one row more than `limit`. Internal replies for insiders only. */
export async function pageReplies(db: Querier, { ticketId, viewer, after, limit }: Page): Promise<ReplyRow[]> {
  return db.query(sql`
    select id, ticket_id, author_id, internal, body, created_at from tickets.replies
    where ticket_id = ${ticketId} and (${after}::text is null or id < ${after})
      ${viewer.isInsider ? sql`` : sql`and not internal`}
    order by id desc limit ${limit + 1}`)
}
