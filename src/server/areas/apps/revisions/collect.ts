import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Loop } from '#lib/work/loop.ts'

const UNUSED_MS = 24 * 60 * 60_000
const TICK_MS = 60 * 60_000
/** Pause between two organizations, so that the work does not crowd out other statements. */
const PAUSE_MS = 1000
const REVISIONS_PER_PAGE = 20
const BLOBS_PER_BATCH = 200

/** Removes blobs that no revision of their organization uses and that nobody uploaded or asked for in a day. */
export function collectLoop({ db }: { db: Db }): Loop {
  return {
    name: 'apps.collect-blobs',
    leader: true,
    async tick(now, signal) {
      const unusedSince = new Date(now.getTime() - UNUSED_MS)
      const orgId = await findOrg(db, unusedSince)
      if (orgId === undefined) return new Date(now.getTime() + TICK_MS)
      await collectBlobs(db, { orgId, unusedSince, now }, signal)
      return new Date(now.getTime() + PAUSE_MS)
    },
  }
}

/** Returns an organization that has blobs to look at. Each looked-at blob is removed or marked as used. */
async function findOrg(db: Db, unusedSince: Date): Promise<string | undefined> {
  const [row] = await db.query<{ org_id: string }>(sql`
    select org_id from apps.blobs where used_at < ${unusedSince} order by used_at limit 1`)
  return row?.org_id
}

type Collection = { readonly orgId: string; readonly unusedSince: Date; readonly now: Date }

/**
 * First marks the blobs of every revision as used, then removes those that still are not. A revision that is created
 * meanwhile marks its own blobs (`touchBlobs`), and a removal looks at the mark again once it has the row's lock. So
 * neither order of the two can remove a blob of a revision; a creation that comes second finds the blob missing and is
 * refused, and the client uploads it again.
 */
export async function collectBlobs(db: Db, collection: Collection, signal: AbortSignal): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    if (signal.aborted) return
    after = await markPage(db, collection, after)
  }
  while (!signal.aborted && (await removeBatch(db, collection))) {}
}

/** Marks the blobs of some revisions. Returns the id to go on after, or undefined when there are no more. */
async function markPage(db: Db, { orgId, unusedSince, now }: Collection, after: string): Promise<string | undefined> {
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
async function removeBatch(db: Db, { orgId, unusedSince }: Collection): Promise<boolean> {
  // Rows that are locked are being used, so they are left to the next round.
  const removed = await db.query(sql`
    delete from apps.blobs where org_id = ${orgId} and sha256 in (
      select sha256 from apps.blobs where org_id = ${orgId} and used_at < ${unusedSince}
      order by sha256 limit ${BLOBS_PER_BATCH} for update skip locked)
    returning 1`)
  return removed.length === BLOBS_PER_BATCH
}
