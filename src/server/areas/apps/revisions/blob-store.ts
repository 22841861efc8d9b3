import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type FileBlob = { readonly sha256: string; readonly content: Uint8Array }

/** A use is recorded again after this time only, because each record rewrites the row. */
const USE_RECORDED_MS = 60 * 60_000
const REVISIONS_PER_PAGE = 20
const BLOBS_PER_BATCH = 200

/**
 * Records the use of blobs and returns the size of each that is stored. A blob in the answer is not collected before a
 * day has passed, or before the transaction ends if that is later: the collector skips what was used, and waits for the
 * rows that this locks.
 */
export async function touchBlobs(tx: Tx, orgId: string, sha256s: readonly string[], now: Date) {
  const keys = sha256s.map((sha256) => Buffer.from(sha256, 'hex'))
  const recordedBefore = new Date(now.getTime() - USE_RECORDED_MS)
  // Locked in one order, so that two transactions with the same files cannot wait for each other.
  await tx.query(sql`
    update apps.blobs set used_at = ${now}
    where org_id = ${orgId} and sha256 in (
      select sha256 from apps.blobs
      where org_id = ${orgId} and sha256 = any(${keys}::bytea[]) and used_at < ${recordedBefore}
      order by sha256 for no key update)`)
  const rows = await tx.query<{ sha256: string; size: number }>(sql`
    select encode(sha256, 'hex') as sha256, size from apps.blobs
    where org_id = ${orgId} and sha256 = any(${keys}::bytea[])`)
  return new Map(rows.map(({ sha256, size }) => [sha256, size]))
}

/** Stores blobs. One that is stored already only counts as used. */
export async function insertBlobs(tx: Tx, orgId: string, blobs: readonly FileBlob[], now: Date): Promise<void> {
  const keys = blobs.map(({ sha256 }) => Buffer.from(sha256, 'hex'))
  const sizes = blobs.map(({ content }) => content.byteLength)
  const starts = sizes.map((_, index) => 1 + sizes.slice(0, index).reduce((sum, size) => sum + size, 0))
  // All contents are one parameter, because a list of them would be sent as text twice as long.
  const contents = blobs.length === 1 ? blobs[0]!.content : Buffer.concat(blobs.map(({ content }) => content))
  await tx.query(sql`
    insert into apps.blobs (org_id, sha256, size, content, used_at)
    select ${orgId}, part.sha256, part.size, substring(${contents}::bytea from part.start for part.size), ${now}
    from unnest(${keys}::bytea[], ${starts}::integer[], ${sizes}::integer[]) as part (sha256, start, size)
    order by part.sha256
    on conflict (org_id, sha256) do update set used_at = excluded.used_at`)
}

/** Returns the bytes that an organization has stored. In a transaction that added some, they are counted exactly. */
export async function storedBytes(db: Querier, orgId: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select bytes from apps.revision_stores where org_id = ${orgId}`)
  return row?.bytes ?? 0
}

export async function readBlobs(db: Querier, orgId: string, sha256s: readonly string[]): Promise<Map<string, Buffer>> {
  const keys = sha256s.map((sha256) => Buffer.from(sha256, 'hex'))
  const rows = await db.query<{ sha256: string; content: Buffer }>(sql`
    select encode(sha256, 'hex') as sha256, content from apps.blobs
    where org_id = ${orgId} and sha256 = any(${keys}::bytea[])`)
  return new Map(rows.map(({ sha256, content }) => [sha256, content]))
}

/** Returns an organization that has blobs to look at. Each looked-at blob is removed or marked as used. */
export async function findOrgOfUnused(db: Querier, unusedSince: Date): Promise<string | undefined> {
  const [row] = await db.query<{ org_id: string }>(sql`
    select org_id from apps.blobs where used_at < ${unusedSince} order by used_at limit 1`)
  return row?.org_id
}

export type Collection = { readonly orgId: string; readonly unusedSince: Date; readonly now: Date }

/** Marks the blobs of some revisions. Returns the id to go on after, or undefined when there are no more. */
export async function markUsedPage(db: Querier, { orgId, unusedSince, now }: Collection, after: string) {
  const page = await db.query<{ id: string }>(sql`
    select id from apps.revisions where org_id = ${orgId} and id > ${after} order by id limit ${REVISIONS_PER_PAGE}`)
  const ids = page.map(({ id }) => id)
  // Waits for locked rows: one that is skipped here would be removed although a revision uses it.
  await db.query(sql`
    update apps.blobs set used_at = ${now}
    where org_id = ${orgId} and sha256 in (
      select sha256 from apps.blobs
      where org_id = ${orgId} and used_at < ${unusedSince} and sha256 in (
        select decode(file ->> 'sha256', 'hex')
        from apps.revisions cross join lateral jsonb_array_elements(manifest) as file
        where id = any(${ids}))
      order by sha256 for no key update)`)
  return page.length < REVISIONS_PER_PAGE ? undefined : ids.at(-1)
}

/** Returns whether there may be more to remove. */
export async function removeUnusedBatch(db: Querier, { orgId, unusedSince }: Collection): Promise<boolean> {
  // Rows that are locked are being used, so they are left to the next round.
  const removed = await db.query(sql`
    delete from apps.blobs where org_id = ${orgId} and sha256 in (
      select sha256 from apps.blobs where org_id = ${orgId} and used_at < ${unusedSince}
      order by sha256 limit ${BLOBS_PER_BATCH} for update skip locked)
    returning 1`)
  return removed.length === BLOBS_PER_BATCH
}
