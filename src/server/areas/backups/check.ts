import type { Querier } from '#lib/db/db.ts'
import type { Schedule } from '#lib/time/cron.ts'
import { overdueSince } from './overdue.ts'
import { readState } from './store.ts'

/** Returns what is wrong with the backups of a schedule, in words, or undefined. */
export async function backupFault(db: Querier, schedule: Schedule, now: Date): Promise<string | undefined> {
  const state = await readState(db)
  const since = overdueSince(state, schedule, now)
  if (!since) return undefined
  const last = state.good_at ? `the last good one is of ${state.good_at.toISOString()}` : 'there is none'
  const why = state.last_fault === null ? '' : ` The last attempt failed: ${state.last_fault}`
  return `A backup was due at ${since.toISOString()}, and ${last}.${why}`
}
