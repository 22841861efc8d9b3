import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Whether any worker of the app is connected. One that stops, and therefore serves nothing any more, does not count. */
export async function isConnected(db: Querier, appId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from pipelines.workers
    where app_id = ${appId} and expires_at > clock_timestamp()
      and exists (select from pipelines.served where worker_id = workers.id)
    limit 1`)
  return rows.length > 0
}
