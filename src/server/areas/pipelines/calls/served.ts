import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { CallKind } from './kinds.ts'

/** Whether a worker that is not lost serves the name. */
export async function isServed(db: Querier | Tx, appId: string, kind: CallKind, name: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from pipelines.served join pipelines.workers on workers.id = served.worker_id
    where served.app_id = ${appId} and served.kind = ${kind} and served.name = ${name}
      and workers.expires_at > clock_timestamp()
    limit 1`)
  return rows.length > 0
}
