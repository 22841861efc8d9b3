import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { type Collection, findOrgOfUnused, markUsedPage, removeUnusedBatch } from './blob-store.ts'

const UNUSED_MS = 24 * 60 * 60_000
const TICK_MS = 60 * 60_000
/** Pause between two organizations, so that the work does not crowd out other statements. */
const PAUSE_MS = 1000

/** Removes blobs that no revision of their organization uses and that nobody uploaded or asked for in a day. */
export function collectLoop({ db }: { db: Db }): Loop {
  return {
    name: 'apps.collect-blobs',
    leader: true,
    async tick(now, signal) {
      const unusedSince = new Date(now.getTime() - UNUSED_MS)
      const orgId = await findOrgOfUnused(db, unusedSince)
      if (orgId === undefined) return new Date(now.getTime() + TICK_MS)
      await collectBlobs(db, { orgId, unusedSince, now }, signal)
      return new Date(now.getTime() + PAUSE_MS)
    },
  }
}

/**
 * First marks the blobs of every revision as used, then removes those that still are not. A revision that is created
 * meanwhile marks its own blobs (`touchBlobs`), and a removal looks at the mark again once it has the row's lock. So
 * neither order of the two can remove a blob of a revision; a creation that comes second finds the blob missing and is
 * refused, and the client uploads it again.
 */
export async function collectBlobs(db: Db, collection: Collection, signal: AbortSignal): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    if (signal.aborted) return
    after = await markUsedPage(db, collection, after)
  }
  while (!signal.aborted && (await removeUnusedBatch(db, collection))) {}
}
