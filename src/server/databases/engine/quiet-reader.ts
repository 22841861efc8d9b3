import pg from 'pg'
import type { Db } from '#lib/db/db.ts'
import { identifier, script, sql } from '#lib/db/sql.ts'
import type { Managed } from './engine.ts'

/**
 * The reader's statements carry questions and filter values, and a Postgres that logs statements, durations, plans or
 * errors would write them into its log. Of the reader's sessions it logs only what ends them.
 */
const QUIET = {
  log_parameter_max_length_on_error: '0',
  log_parameter_max_length: '0',
  log_min_messages: 'fatal',
} as const

const NOT_ALLOWED = '42501'

/** Changes nothing where it is so already. Without the right to it the operator is told, and questions go on. */
export async function quietReader(db: Db, { reader_role }: Managed, warn: (text: string) => void): Promise<void> {
  const [row] = await db.query<{ settings: string[] | null }>(sql`
    select rolconfig as settings from pg_roles where rolname = ${reader_role}`)
  const known = new Set(row?.settings)
  const missing = Object.entries(QUIET).filter(([name, value]) => !known.has(`${name}=${value}`))
  try {
    for (const [name, value] of missing) {
      await db.query(script(`alter role ${identifier(reader_role).text} set ${name} = '${value}'`))
    }
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === NOT_ALLOWED)) throw error
    warn(
      'this Postgres may write questions into its log, and the role in DATABASE_URL may not keep it from that: ' +
        'as a superuser, `grant set on parameter log_min_messages, log_parameter_max_length` to it',
    )
  }
}
