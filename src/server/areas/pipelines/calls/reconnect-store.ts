import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Gives workers of all apps until then to connect again. A later end that was saved before stays. */
export async function extendReconnects(db: Querier, until: Date): Promise<void> {
  await db.query(sql`
    insert into pipelines.reconnects as saved (until) values (${until})
    on conflict (is_only_row) do update set until = greatest(saved.until, excluded.until)`)
}

/** Returns undefined if no process that holds streams of workers was ever restarted. */
export async function findReconnectsEnd(db: Querier): Promise<Date | undefined> {
  const [row] = await db.query<{ until: Date }>(sql`select until from pipelines.reconnects`)
  return row?.until
}
