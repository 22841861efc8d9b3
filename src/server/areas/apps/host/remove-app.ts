import type { Db } from '#lib/db/db.ts'
import type { Lease } from '#lib/work/lease.ts'
import { removeLines } from '../logs/store.ts'
import { asHost } from './as-host.ts'
import { deleteMarkedApp } from './store.ts'

const LOG_BATCH = 10_000

/** Deletes an app that was stopped, with everything that belongs to it. Its log goes first, in small steps. */
export async function removeApp(db: Db, appId: string, lease: Lease): Promise<void> {
  while ((await asHost(db, lease, (tx) => removeLines(tx, appId, LOG_BATCH))) > 0);
  await asHost(db, lease, (tx) => deleteMarkedApp(tx, appId))
}
