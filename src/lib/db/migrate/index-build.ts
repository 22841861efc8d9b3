import type { DbSession } from '../db.ts'
import { identifier, script, sql } from '../sql.ts'
import type { IndexStatement, OutsideStatement } from './index-statements.ts'

/** An index of a large table may take hours to build, and so may reading it. Only the migrating process waits. */
const BUILD_LIMIT = { timeoutMs: 24 * 60 * 60_000 }

/**
 * Runs one statement of a file outside a transaction. A build that was interrupted leaves an index that is marked
 * invalid: `if not exists` would take it for done, and a unique one already refuses writes, so it is removed before a
 * build and after one that fails.
 */
export async function runOutside(session: DbSession, statement: OutsideStatement): Promise<void> {
  // A build waits for older transactions without blocking anybody, and a limit would only leave it invalid again.
  await session.query(script('set lock_timeout = 0'))
  if (statement.does === 'create') await dropInvalid(session, statement)
  try {
    await session.query(script(statement.text), BUILD_LIMIT)
  } catch (error) {
    // The next attempt removes it where this fails too, and the first error says more.
    if (statement.does === 'create') await dropInvalid(session, statement).catch(() => undefined)
    throw error
  }
}

async function dropInvalid(session: DbSession, { schema, index }: IndexStatement): Promise<void> {
  const invalid = await session.query(sql`
    select from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${index} and not i.indisvalid`)
  if (invalid.length === 0) return
  const drop = sql`drop index concurrently if exists ${identifier(schema, index)}`
  await session.query(script(drop.text), BUILD_LIMIT)
}
