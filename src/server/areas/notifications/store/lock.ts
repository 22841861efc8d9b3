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

/**
 * Settings of transactions that find rows by their keys only, in the order of an index. Their statements name the few
 * rows that they change, but a statement that was planned while the tables were empty would go on reading them from end
 * to end, or go on sorting all that waits for a destination to take the first few. Plans without a choice look expensive
 * to Postgres, which would then compile them; that takes longer than running them.
 */
const FIND_ROWS_BY_KEY = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}

/** Settings of the transactions that take events in, claim deliveries and write their results. */
export const DELIVERY_SETTINGS = {
  ...FIND_ROWS_BY_KEY,
  idle_in_transaction_session_timeout: String(MAX_IDLE_MS),
  synchronous_commit: 'on',
}

const FIND_ROWS_BY_KEY_NOW = Object.entries(FIND_ROWS_BY_KEY)
  .map(([name, value]) => sql`set_config(${name}, ${value}, true)`)
  .reduce((all, one) => sql`${all}, ${one}`)

/** Locks destinations in the order that every writer keeps, so that none waits for another in a circle. */
export async function lockDestinations(tx: Tx, keys: readonly string[]): Promise<{ key: string; failures: number }[]> {
  return tx.query(sql`
    select key, failures, ${LIMIT_IDLE_TIME}, ${FIND_ROWS_BY_KEY_NOW} from notifications.destinations
    where key = any(${[...keys]}::text[]) order by key for update`)
}

/** The same within a transaction that was begun with `DELIVERY_SETTINGS`. */
export async function lockInDelivery(tx: Tx, keys: readonly string[]): Promise<{ key: string; failures: number }[]> {
  if (keys.length === 0) return []
  return tx.query(sql`
    select key, failures from notifications.destinations where key = any(${[...keys]}::text[]) order by key for update`)
}
