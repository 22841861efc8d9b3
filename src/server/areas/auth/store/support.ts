import type { PageQuery } from '#edge/route/paging.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type SupportRow = {
  id: string
  org_id: string
  staff_email: string
  reason: string
  created_at: Date
  expires_at: Date
  elevated_at: Date | null
  ended_at: Date | null
}

const COLUMNS = sql`id, org_id, staff_email, reason, created_at, expires_at, elevated_at, ended_at`

export async function insertSupport(tx: Tx, row: SupportRow & { hash: Buffer; epoch: string }): Promise<void> {
  await tx.query(sql`
    insert into auth.support_sessions (id, org_id, staff_email, reason, hash, epoch, created_at, expires_at)
    values (${row.id}, ${row.org_id}, ${row.staff_email}, ${row.reason}, ${row.hash}, ${row.epoch},
            ${row.created_at}, ${row.expires_at})`)
}

export async function findLiveSupport(
  db: Querier,
  hash: Buffer,
  epoch: string,
  now: Date,
): Promise<SupportRow | undefined> {
  const [row] = await db.query<SupportRow>(sql`
    select ${COLUMNS} from auth.support_sessions
    where hash = ${hash} and epoch = ${epoch} and ended_at is null and expires_at > ${now}`)
  return row
}

/** Returns undefined if the session has ended, or was elevated before. */
export async function elevateSupportRow(tx: Tx, id: string, now: Date): Promise<SupportRow | undefined> {
  const [row] = await tx.query<SupportRow>(sql`
    update auth.support_sessions set elevated_at = ${now}
    where id = ${id} and ended_at is null and expires_at > ${now} and elevated_at is null
    returning ${COLUMNS}`)
  return row
}

export async function endSupportRow(tx: Tx, id: string, now: Date): Promise<SupportRow | undefined> {
  const [row] = await tx.query<SupportRow>(sql`
    update auth.support_sessions set ended_at = coalesce(ended_at, ${now}) where id = ${id} returning ${COLUMNS}`)
  return row
}

export async function findSupport(db: Querier, id: string): Promise<SupportRow | undefined> {
  const [row] = await db.query<SupportRow>(sql`select ${COLUMNS} from auth.support_sessions where id = ${id}`)
  return row
}

export async function pageSupport(db: Querier, orgId: string, { before, limit }: PageQuery): Promise<SupportRow[]> {
  return db.query<SupportRow>(sql`
    select ${COLUMNS} from auth.support_sessions
    where org_id = ${orgId} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit + 1}`)
}

export async function listOpenSupportRows(db: Querier, orgId: string, now: Date): Promise<SupportRow[]> {
  return db.query(sql`
    select ${COLUMNS} from auth.support_sessions
    where org_id = ${orgId} and ended_at is null and expires_at > ${now} order by id desc limit 100`)
}
