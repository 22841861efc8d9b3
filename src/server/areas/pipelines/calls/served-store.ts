import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { CallKind } from './kinds.ts'

/** Returns those of the names that a worker of the app serves that is not lost. */
export async function findServed(db: Querier, appId: string, kind: CallKind, names: readonly string[]) {
  const rows = await db.query<{ name: string }>(sql`
    select distinct served.name from pipelines.served join pipelines.workers on workers.id = served.worker_id
    where served.app_id = ${appId} and served.kind = ${kind} and served.name = any(${names}::text[])
      and workers.expires_at > clock_timestamp()`)
  return new Set(rows.map(({ name }) => name))
}

export async function isServed(db: Querier, appId: string, kind: CallKind, name: string): Promise<boolean> {
  return (await findServed(db, appId, kind, [name])).has(name)
}

/** Whether any worker of the app is connected. One that stops, and therefore serves nothing any more, does not count. */
export async function isConnected(db: Querier, appId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from pipelines.workers
    where app_id = ${appId} and expires_at > clock_timestamp()
      and exists (select from pipelines.served where worker_id = workers.id)
    limit 1`)
  return rows.length > 0
}
