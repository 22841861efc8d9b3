import { ServiceError } from '#contract/core/errors.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import { guardOf, type LeaseGuard } from '#lib/work/lease.ts'
import { type LeasedJob, leasedJobs } from '#lib/work/leased-jobs.ts'
import {
  type DatabaseRow,
  findDatabase,
  findInsecure,
  findUnfinished,
  markSecured,
  postponeFinish,
  secondsUntilFinish,
  secondsUntilInsecure,
  UNFINISHED_CHANNEL,
} from '../model/store.ts'
import { busyDatabase, type FinishDeps, finishCreating, finishDropping, leaseOf } from './finish.ts'

type DatabaseJobs = JobKind<LeasedJob<DatabaseRow>>
export type OnJobError = (error: unknown, row: DatabaseRow) => void

const POLL_SECONDS = 60
const RETRY_SECONDS = 60
const DRAIN_SECONDS = 15

/** Finishes databases that a process began to create or drop and did not finish. */
export function finishJobs(deps: FinishDeps, onError: OnJobError): DatabaseJobs {
  const { db } = deps
  return leasedJobs<DatabaseRow>(db, {
    name: 'databases-finish',
    leaseName: leaseOf,
    slots: 2,
    wakeOn: UNFINISHED_CHANNEL,
    pollSeconds: POLL_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    find: () => findUnfinished(db),
    nextInSeconds: () => secondsUntilFinish(db),
    async run({ row, lease }) {
      try {
        await finish(deps, row, guardOf(db, lease, busyDatabase(row)))
      } catch (error) {
        // Another process took the lease over, and finishes it.
        if (error instanceof ServiceError && error.code === 'CONFLICT') return
        onError(error, row)
        await postponeFinish(db, row.id, RETRY_SECONDS)
      }
    },
  })
}

async function finish(deps: FinishDeps, claimed: DatabaseRow, guard: LeaseGuard): Promise<void> {
  // A request may have finished it after the worker had found it and before it took the lease.
  const row = await findDatabase(deps.db, claimed.org_id, claimed.name)
  if (row?.id !== claimed.id) return
  if (row.state === 'creating') await finishCreating(deps, row, guard)
  if (row.state === 'dropping') await finishDropping(deps, row, guard)
}

const SECURE_EVERY_SECONDS = 60 * 60

/**
 * Gives databases that older code made the limits of today, also those that nobody asks a question of. Each is looked at
 * every hour, so that rights which an operator grants later take effect too.
 */
export function secureJobs(
  { db, secure }: Pick<FinishDeps, 'db'> & { secure: (row: DatabaseRow) => Promise<void> },
  onError: OnJobError,
): DatabaseJobs {
  return leasedJobs<DatabaseRow>(db, {
    name: 'databases-secure',
    // Not the lease of creating and dropping: a drop must not be refused because of this.
    leaseName: ({ id }) => `database-secure:${id}`,
    slots: 1,
    pollSeconds: SECURE_EVERY_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    find: () => findInsecure(db, SECURE_EVERY_SECONDS),
    nextInSeconds: () => secondsUntilInsecure(db, SECURE_EVERY_SECONDS),
    async run({ row }, { signal }) {
      try {
        await secure(row)
      } catch (error) {
        if (!signal.aborted) await reportIfReady(db, row, error, onError)
      } finally {
        await markSecured(db, row.id)
      }
    },
  })
}

/** A database that is being dropped has no roles any more, which is no fault. */
async function reportIfReady(db: FinishDeps['db'], row: DatabaseRow, error: unknown, onError: OnJobError) {
  const current = await findDatabase(db, row.org_id, row.name)
  if (current?.id === row.id && current.state === 'ready') onError(error, row)
}
