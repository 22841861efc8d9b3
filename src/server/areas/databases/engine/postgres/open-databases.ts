import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import { isNotAllowed } from './states.ts'

const MAX_NAMES_SHOWN = 10
// The error of two processes that change the rights of one database at the same time.
const CONCURRENT = 'XX000'

/**
 * Closes the platform's own database, `postgres` and `template1` to roles without a grant, because tenants log in to
 * this server. Databases of other applications stay open, because their users may rely on it.
 */
export async function closeDatabases(db: Db): Promise<void> {
  const open = await db.query<{ name: string }>(sql`
    select datname as name from pg_catalog.pg_database
    where datname in (current_database(), 'postgres', 'template1') and has_database_privilege('public', oid, 'connect')`)
  for (const { name } of open) {
    const revoke = script(`revoke connect, temporary on database ${identifier(name).text} from public`)
    await db.query(revoke).catch((error: unknown) => {
      const isConcurrent = error instanceof Error && 'code' in error && error.code === CONCURRENT
      if (!isNotAllowed(error) && !isConcurrent) throw error
    })
  }
}

/**
 * Returns a warning with the databases that every tenant can enter and the statement that closes them, or undefined.
 */
export async function openDatabasesWarning(db: Db): Promise<string | undefined> {
  const open = await db.query<{ name: string }>(sql`
    select quote_ident(datname) as name from pg_catalog.pg_database
    where datallowconn and has_database_privilege('public', oid, 'connect')
    order by datname not in ('postgres', 'template1'), datname`)
  if (open.length === 0) return undefined
  const names = open.slice(0, MAX_NAMES_SHOWN).map(({ name }) => name)
  const more = open.length > names.length ? ` (and ${open.length - names.length} more)` : ''
  return (
    `Owners of managed databases can connect to other databases of this Postgres server: ${names.join(', ')}${more}. ` +
    'To keep them out, as a superuser grant CONNECT to the roles that need it and then run: ' +
    `revoke connect on database ${names.join(', ')} from public;`
  )
}
