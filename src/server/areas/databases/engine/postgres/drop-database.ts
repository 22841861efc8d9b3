import { identifier } from '#lib/db/sql.ts'
import type { SendText } from './entrance.ts'
import { isNotAllowed } from './states.ts'

/**
 * Drops a database and ends the sessions in it that the platform may end. Postgres refuses FORCE to all but a superuser
 * while autovacuum works in the database, which it does for minutes after a database was filled. A plain drop ends
 * autovacuum itself, and waits 5 seconds for the other sessions.
 */
export async function dropDatabase(send: SendText, name: string): Promise<void> {
  const drop = `drop database if exists ${identifier(name).text}`
  try {
    await send(`${drop} with (force)`)
  } catch (error) {
    if (!isNotAllowed(error)) throw error
    await send(
      `select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
       where datname = $1 and pg_has_role(usesysid, 'usage')`,
      [name],
    )
    await send(drop)
  }
}
