import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Far more than a running process needs between two statements of one transaction. */
const MAX_IDLE_MS = 5_000

/**
 * Lets Postgres end this transaction when its process stops for seconds in the middle of it. Otherwise a stopped worker
 * keeps its destinations locked, and others can neither match events to them nor end what it was sending. An expression,
 * so that the statement which locks destinations can contain it.
 */
export const LIMIT_IDLE_TIME = sql`set_config('idle_in_transaction_session_timeout', ${String(MAX_IDLE_MS)}, true)`

/** Locks destinations in the order that every writer keeps, so that none waits for another in a circle. */
export async function lockDestinations(tx: Tx, keys: readonly string[]): Promise<{ key: string; failures: number }[]> {
  return tx.query(sql`
    select key, failures, ${LIMIT_IDLE_TIME} from notifications.destinations
    where key = any(${[...keys]}::text[]) order by key for update`)
}
