import type { PageQuery } from '#edge/route/paging.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'

export type DeletionRow = {
  /** Id of the organization or the person. */
  id: string
  kind: 'organization' | 'person'
  requested_by: string
  requested_at: Date
  due_at: Date
  begun_at: Date | null
  ended_at: Date | null
}
type NewDeletion = Omit<DeletionRow, 'begun_at' | 'ended_at'>

/** A NOTIFY here tells the worker that people are to be told of a deletion. */
export const DELETIONS_CHANNEL = 'svc_deletions'

const COLUMNS = sql`id, kind, requested_by, requested_at, due_at, begun_at, ended_at`

/** Returns the deletion, and whether it is new: one that was requested before stays as it is. */
export async function insertDeletion(tx: Tx, row: NewDeletion): Promise<{ deletion: DeletionRow; isNew: boolean }> {
  const [inserted] = await tx.query<DeletionRow>(sql`
    insert into auth.deletions (id, kind, requested_by, requested_at, due_at)
    values (${row.id}, ${row.kind}, ${row.requested_by}, ${row.requested_at}, ${row.due_at})
    on conflict (id) do nothing returning ${COLUMNS}`)
  if (!inserted) return { deletion: (await findDeletion(tx, row.id))!, isNew: false }
  await notify(tx, DELETIONS_CHANNEL)
  return { deletion: inserted, isNew: true }
}

export async function findDeletion(db: Querier, id: string): Promise<DeletionRow | undefined> {
  const [row] = await db.query<DeletionRow>(sql`select ${COLUMNS} from auth.deletions where id = ${id}`)
  return row
}

/** A deletion that was undone, and whether the people concerned had been mailed about it. */
export type UndoneDeletion = DeletionRow & { readonly was_told: boolean }

/** Returns undefined if there is none, or it has begun. */
export async function removeDeletion(tx: Tx, id: string): Promise<UndoneDeletion | undefined> {
  const [row] = await tx.query<UndoneDeletion>(sql`
    delete from auth.deletions where id = ${id} and begun_at is null
    returning ${COLUMNS}, told_at is not null as was_told`)
  return row
}

export async function pageDeletions(db: Querier, { before, limit }: PageQuery): Promise<DeletionRow[]> {
  return db.query<DeletionRow>(sql`
    select ${COLUMNS} from auth.deletions where ${before}::text is null or id < ${before}
    order by id desc limit ${limit + 1}`)
}

export async function findUntold(db: Querier): Promise<DeletionRow[]> {
  return db.query<DeletionRow>(sql`
    select ${COLUMNS} from auth.deletions where told_at is null and begun_at is null order by due_at limit 100`)
}

export async function markTold(db: Querier, id: string, now: Date): Promise<void> {
  await db.query(sql`update auth.deletions set told_at = ${now} where id = ${id}`)
}

export async function findDue(db: Querier, now: Date): Promise<DeletionRow[]> {
  return db.query<DeletionRow>(sql`
    select ${COLUMNS} from auth.deletions where ended_at is null and due_at <= ${now} order by due_at`)
}

/** Returns false if the deletion was undone meanwhile. From then on it cannot be. */
export async function markBegun(tx: Tx, id: string, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update auth.deletions set begun_at = coalesce(begun_at, ${now}) where id = ${id} returning id`)
  return rows.length > 0
}

export async function markEnded(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query(sql`update auth.deletions set ended_at = ${now} where id = ${id}`)
}

/** Returns when the next deletion is due, of those that are not due yet. */
export async function nextDue(db: Querier, now: Date): Promise<Date | undefined> {
  const [row] = await db.query<{ due_at: Date | null }>(sql`
    select min(due_at) as due_at from auth.deletions where ended_at is null and due_at > ${now}`)
  return row?.due_at ?? undefined
}
