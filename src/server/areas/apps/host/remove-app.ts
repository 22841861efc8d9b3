import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Lease } from '#lib/work/lease.ts'
import { removeOldestLines } from '../logs/store.ts'
import { asHost } from './as-host.ts'

const LOG_BATCH = 10_000

/** Deletes an app that was stopped, with everything that belongs to it. Its log goes first, in small steps. */
export async function removeApp(db: Db, appId: string, lease: Lease): Promise<void> {
  while ((await asHost(db, lease, (tx) => removeOldestLines(tx, appId, LOG_BATCH))) > 0);
  await asHost(db, lease, (tx) => tx.query(sql`delete from apps.apps where id = ${appId} and state = 'deleting'`))
}
