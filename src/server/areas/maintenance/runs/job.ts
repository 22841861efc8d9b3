import type { Db } from '#lib/db/db.ts'
import { IDLE_POLL_SECONDS } from '#lib/work/idle-poll.ts'
import type { HeldLease, JobKind } from '#lib/work/job-kind.ts'
import { releaseClaims, renewClaims } from '#lib/work/job-table.ts'
import type { HoldApp } from '#ports/apps.ts'
import { RUNS_CHANNEL } from '../claims/channels.ts'
import { type ClaimedRun, claimRuns, endExpired, hasExpired, hasOpenRuns, RUN_JOBS } from '../claims/claim.ts'
import { findHeldRun } from '../claims/held.ts'
import { emitEnd } from './finish.ts'
import { type WorkDeps, workAt } from './work.ts'

export type RunDeps = WorkDeps & { readonly apps: { readonly hold: HoldApp } }

const SLOTS = 4
const LEASE_SECONDS = 30
const DRAIN_SECONDS = 10
/** While runs are open: nothing announces that the worker of one died. */
const OPEN_POLL_SECONDS = 15

export function runJobs(deps: RunDeps): JobKind<ClaimedRun> {
  const { db } = deps
  const working = new WorkingRuns(db)
  return {
    name: 'maintenance-run',
    slots: SLOTS,
    leaseSeconds: LEASE_SECONDS,
    wakeOn: RUNS_CHANNEL,
    onNotify: (payload) => working.notify(payload),
    pollSeconds: IDLE_POLL_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    async claim(limit) {
      if (!(await hasOpenRuns(db))) return { jobs: [] }
      await endLost(deps)
      return { jobs: await claimRuns(db, limit, LEASE_SECONDS), nextInSeconds: OPEN_POLL_SECONDS }
    },
    run: (run, held) => working.work(run, held, (signal) => workAt(deps, run, signal)),
    renew: (runs) => renewClaims(db, RUN_JOBS, runs, LEASE_SECONDS),
    release: (runs) => releaseClaims(db, RUN_JOBS, runs),
  }
}

/** The runs that this process works at. Each is aborted as soon as somebody ended it, in the middle of a model's answer. */
class WorkingRuns {
  readonly #db: Db
  readonly #runs = new Map<string, { readonly run: ClaimedRun; readonly ended: AbortController }>()

  constructor(db: Db) {
    this.#db = db
  }

  async work(run: ClaimedRun, held: HeldLease, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const ended = new AbortController()
    this.#runs.set(run.id, { run, ended })
    try {
      await work(AbortSignal.any([held.signal, ended.signal]))
    } finally {
      this.#runs.delete(run.id)
    }
  }

  /** Returns whether the notification was for a run of this process. An empty one can stand for others that were lost. */
  notify(executionId: string): boolean {
    if (executionId === '') void this.#recheck()
    const working = this.#runs.get(executionId)
    working?.ended.abort(new Error('the run was ended'))
    return working !== undefined
  }

  /** A failed look is no harm: without the database no lease is renewed, which aborts the runs too. */
  async #recheck(): Promise<void> {
    for (const { run, ended } of this.#runs.values()) {
      const stillHeld = await findHeldRun(this.#db, run).catch(() => run)
      if (!stillHeld) ended.abort(new Error('the run was ended'))
    }
  }
}

/** Ends runs that nobody works at any more, so that their apps can be run again. */
async function endLost({ db, clock, apps }: RunDeps): Promise<void> {
  if (!(await hasExpired(db))) return
  await db.tx(async (tx) => {
    for (const run of await endExpired(tx)) {
      const app = await apps.hold(tx, run.org_id, run.app_id)
      if (app) await emitEnd(tx, { run, app, code: 'lease_expired', at: clock.now() })
    }
  })
}
