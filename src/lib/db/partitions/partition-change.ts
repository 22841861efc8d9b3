import type { Db, Querier, Tx } from '../db.ts'
import { hasCode } from '../errors.ts'
import { script, sql } from '../sql.ts'

/** Requests queue behind a statement that waits for its lock, so it gives up soon and is tried again later. */
const LOCK_TIMEOUT_MS = 1_000

/**
 * Makes or drops partitions in one transaction. Returns false, with nothing changed, if that has to be tried again later:
 * others hold the table, the default partition has rows of the new one, or another process made or dropped it meanwhile.
 */
export async function changePartitions(
  db: Db,
  change: (tx: Tx) => Promise<unknown>,
  options: { timeoutMs?: number } = {},
): Promise<boolean> {
  try {
    await db.tx(async (tx) => {
      await tx.query(script(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`))
      await change(tx)
    }, options)
    return true
  } catch (error) {
    if (hasCode(error, TRY_LATER)) return false
    throw error
  }
}

/** lock_not_available, deadlock_detected; rows of the span in the default partition; made or dropped by another process. */
const TRY_LATER = new Set(['55P03', '40P01', '23514', '42P07', '42P01'])

/** Names of a table's partitions, without their schema, in the order of the alphabet. */
export async function partitionNames(db: Querier, schema: string, table: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select child.relname as name
    from pg_inherits
    join pg_class child on child.oid = inhrelid
    join pg_class parent on parent.oid = inhparent
    join pg_namespace n on n.oid = parent.relnamespace
    where n.nspname = ${schema} and parent.relname = ${table}
    order by 1`)
  return rows.map(({ name }) => name)
}
