import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { RESTART_GRACE_MS } from '#ports/restart-grace.ts'

const GRACE = sql`${RESTART_GRACE_MS} * interval '1 millisecond'`

/**
 * Gives workers of all apps so much time from now to connect again, two minutes at most. A later end that was saved before
 * stays, unless it is further away than that. Times are those of the database, because the clocks of processes differ.
 */
export async function extendReconnects(db: Querier, ms = RESTART_GRACE_MS): Promise<void> {
  const end = sql`clock_timestamp() + least(${ms} * interval '1 millisecond', ${GRACE})`
  await db.query(sql`
    insert into pipelines.reconnects as saved (until) values (${end})
    on conflict (is_only_row) do update
    set until = least(greatest(saved.until, excluded.until), clock_timestamp() + ${GRACE})`)
}

/** Returns for how long workers may still take to connect again: 0 if no process was restarted lately. */
export async function reconnectsMsLeft(db: Querier): Promise<number> {
  const [row] = await db.query<{ ms: number }>(sql`
    select (extract(epoch from least(until - clock_timestamp(), ${GRACE})) * 1000)::float8 as ms
    from pipelines.reconnects`)
  return Math.max(row?.ms ?? 0, 0)
}
