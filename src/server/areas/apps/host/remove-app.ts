import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Lease } from '#lib/work/lease.ts'
import { asHost } from './as-host.ts'

/** Deletes an app that was stopped, with everything that belongs to it. */
export async function removeApp(db: Db, appId: string, lease: Lease): Promise<void> {
  await asHost(db, lease, (tx) => tx.query(sql`delete from apps.apps where id = ${appId} and state = 'deleting'`))
}
