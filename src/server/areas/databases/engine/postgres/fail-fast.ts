import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'

const AWAY_MS = 5_000

/**
 * Refuses statements for 5 seconds after the server could not be reached. A server that drops packets lets every
 * connection attempt wait for its limit, and jobs for its databases would keep those of other servers waiting.
 */
export function failFast(db: Db, now: () => number = () => performance.now()): Db {
  let away: { until: number; error: DatabaseUnavailable } | undefined
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (away && now() < away.until) throw away.error
    try {
      const result = await work()
      away = undefined
      return result
    } catch (error) {
      if (isUnreachable(error)) away = { until: now() + AWAY_MS, error }
      throw error
    }
  }
  return {
    ...db,
    query: (statement) => guarded(() => db.query<never>(statement)),
    tx: (run, options) => guarded(() => db.tx(run, options)),
    session: (run) => guarded(() => db.session(run)),
  }
}

/** Whether the connection failed. A statement that Postgres cancelled has an SQLSTATE and says nothing of the next. */
function isUnreachable(error: unknown): error is DatabaseUnavailable {
  if (!(error instanceof DatabaseUnavailable)) return false
  const { cause } = error
  return !(cause instanceof Error && 'severity' in cause)
}
