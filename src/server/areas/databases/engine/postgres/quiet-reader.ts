import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import type { Managed } from '../engine.ts'
import { isNotAllowed } from './states.ts'

/**
 * The reader's statements carry questions and filter values, and a Postgres that logs statements, durations, plans or
 * errors would write them into its log. Of the reader's sessions it logs only what ends them.
 */
const QUIET = {
  log_parameter_max_length_on_error: '0',
  log_parameter_max_length: '0',
  log_min_messages: 'fatal',
} as const

/** Sets these for the reader's role. Where the platform may not, it warns the operator and questions still work. */
export async function quietReader(db: Db, { reader_role }: Managed, warn: (text: string) => void): Promise<void> {
  const [row] = await db.query<{ settings: string[] | null }>(sql`
    select rolconfig as settings from pg_roles where rolname = ${reader_role}`)
  const present = new Set(row?.settings)
  const missing = Object.entries(QUIET).filter(([name, value]) => !present.has(`${name}=${value}`))
  try {
    for (const [name, value] of missing) {
      await db.query(script(`alter role ${identifier(reader_role).text} set ${name} = '${value}'`))
    }
  } catch (error) {
    if (!isNotAllowed(error)) throw error
    warn(await loudWarning(db))
  }
}

/** Returns the statement for the operator where the platform may not keep questions out of the log, else undefined. */
export async function quietWarning(db: Db): Promise<string | undefined> {
  const [row] = await db.query<{ may_set: boolean }>(sql`
    select has_parameter_privilege('log_min_messages', 'set')
       and has_parameter_privilege('log_parameter_max_length', 'set') as may_set`)
  return row!.may_set ? undefined : loudWarning(db)
}

async function loudWarning(db: Db): Promise<string> {
  const [row] = await db.query<{ role: string }>(sql`select quote_ident(current_user) as role`)
  return (
    'This Postgres may write questions into its log. To keep them out, as a superuser run: ' +
    `grant set on parameter log_min_messages, log_parameter_max_length to ${row!.role};`
  )
}
