import { type Sql, script, sql, withValues } from '#lib/db/sql.ts'
import { READER } from './engine.ts'

/** What holds for every statement of a reader, whatever ran before it on the connection. */
const SETTINGS = {
  default_transaction_read_only: 'on',
  statement_timeout: String(READER.statementMs),
  search_path: READER.searchPath,
}

/** The role has these already; what it has can be changed. */
export const GUARD: Sql = sql`select ${settings()}`

/**
 * A tenant's own code runs inside a question: a function of a view, a policy, a cast. It can set anything for the
 * session, so a statement ends with setting it right again. What fails is rolled back, settings and all.
 */
export function guarded(statement: Sql): Sql {
  if (statement.name === '')
    throw new TypeError('a script may hold several statements, and none of them would be guarded')
  return withValues(known(statement), statement.values)
}

const texts = new Map<string, Sql>()
const MOST = 2_000

/** Put together once for each text. */
function known(statement: Sql): Sql {
  const before = texts.get(statement.name)
  if (before) return before
  const made = sql`
    with answer as materialized (${statement})
    select answer.* from answer
    where (select pg_catalog.count(*) >= 0 and (${settings()}) is not null from answer)`
  if (texts.size >= MOST) texts.clear()
  texts.set(statement.name, made)
  return made
}

function settings(): Sql {
  const calls = Object.entries(SETTINGS).map(
    ([name, value]) => sql`pg_catalog.set_config('${script(name)}', '${script(value)}', false)`,
  )
  return calls.reduce((all, one) => sql`${all} || ${one}`)
}
