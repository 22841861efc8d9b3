import { literal, type Sql, script, sql, withValues } from '#lib/db/sql.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import { READER } from './engine.ts'

/** Ends every statement of a reader, so that nothing a tenant's own code did to the session reaches the next one. */
export type Guard = {
  /** The guard alone. It has no name, so no prepared statement of a tenant can replace it. */
  readonly statement: Sql
  /** Returns the statement with the guard as its last step. */
  guarded(statement: Sql): Sql
}

const SETTINGS = {
  default_transaction_read_only: 'on',
  statement_timeout: String(READER.statementMs),
  search_path: READER.searchPath,
}

/**
 * Ends the session if SQL code prepared a statement or declared a holdable cursor in it. A tenant's function can
 * deallocate one of our statements and prepare another of the same name, which the driver would then run with the next
 * question's values. The query of a holdable cursor runs at COMMIT, after the guard, and could change the settings that
 * the guard has set.
 */
const NOTHING_LEFT_BEHIND = sql`
  (case when exists (select from pg_catalog.pg_prepared_statements where from_sql)
          or exists (select from pg_catalog.pg_cursors where is_holdable)
   then pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid()) else false end)::pg_catalog.text`

const MAX_CACHED_STATEMENTS = 2_000

/** For engines whose sessions are cleaned between connections. */
export const settingsGuard: Guard = createGuard(setAll(SETTINGS))

/**
 * For sessions that stay with a pooled connection. Before Postgres 16 an owner can grant its own role to the reader,
 * and code in the reader's session could switch to it for good.
 */
const SESSION_STEPS = sql`${setAll({ ...SETTINGS, role: 'none' })} operator(pg_catalog.||) ${NOTHING_LEFT_BEHIND}`
export const sessionGuard: Guard = createGuard(SESSION_STEPS)

/** More than the mappings of persons that the configurations of one data source have had. */
const MAX_CACHED_GUARDS = 20

/**
 * Returns a function that makes the guard of a session that also resets these settings, because code of a tenant could
 * have set them for the whole session. `set_config` resets a setting whose new value is null.
 */
export function createResettingGuards(): (names: readonly string[]) => Guard {
  const guards = createBoundedCache<string, Guard>({ max: MAX_CACHED_GUARDS })
  return (names) => guards.getOrMake(names.join(), () => createGuard(names.reduce(thenReset, SESSION_STEPS)))
}

function thenReset(steps: Sql, name: string): Sql {
  return sql`${steps} operator(pg_catalog.||) pg_catalog.set_config(${literal(name)}, null, false)`
}

/**
 * A tenant's own code runs inside a question: a function of a view, a policy, a cast. It can change any setting of the
 * session, so every statement ends with setting them again. A statement that fails is rolled back with its settings.
 */
function createGuard(steps: Sql): Guard {
  const guardedTexts = createBoundedCache<string, Sql>({ max: MAX_CACHED_STATEMENTS })
  const withGuard = (statement: Sql): Sql => sql`
    with answer as materialized (${statement})
    select answer.* from answer
    where (select pg_catalog.count(*) operator(pg_catalog.>=) 0 and (${steps}) is not null from answer)`
  return {
    statement: script(sql`select ${steps}`.text),
    guarded(statement) {
      if (statement.name === '')
        throw new TypeError('a script may hold several statements, and none of them would be guarded')
      const text = guardedTexts.getOrMake(statement.name, () => withGuard(statement))
      return withValues(text, statement.values)
    },
  }
}

/** Operators are qualified, because the guard after an EXPLAIN is parsed with a search path that code may have set. */
function setAll(settings: Record<string, string>): Sql {
  const calls = Object.entries(settings).map(
    ([name, value]) => sql`pg_catalog.set_config('${script(name)}', '${script(value)}', false)`,
  )
  return calls.reduce((all, one) => sql`${all} operator(pg_catalog.||) ${one}`)
}
