import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import { DEPLOYS_CHANNEL } from '../deploys/store.ts'

/** Returns false when the app is being deleted already, or is deleted. Waits for changes that hold the app. */
export async function markDeleting(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update apps.apps set state = 'deleting' where id = ${id} and state = 'active' returning id`)
  if (rows.length > 0) await notify(tx, DEPLOYS_CHANNEL, id)
  return rows.length > 0
}

export async function findDeleting(db: Querier): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from apps.apps where state = 'deleting' order by id limit 100`)
  return rows.map(({ id }) => id)
}
