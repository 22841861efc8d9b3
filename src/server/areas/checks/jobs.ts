import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { HeldLease, JobKind } from '#lib/work/job-kind.ts'
import { renewClaims } from '#lib/work/job-table.ts'
import type { AppDirectory, AppName, AppProbe } from '#ports/apps.ts'
import { finishRun } from './finish.ts'
import type { Outcome } from './kinds/outcome.ts'
import { type RunDefinitionDeps, runDefinition } from './kinds/run-definition.ts'
import {
  type ClaimedRun,
  claimRuns,
  findClaimable,
  RUN_JOBS,
  RUNS_CHANNEL,
  releaseRuns,
  removeRun,
} from './runs-store.ts'
import { type CheckRow, findCheck } from './store.ts'

export type RunDeps = RunDefinitionDeps & {
  readonly db: Db
  readonly clock: Clock
  readonly apps: Pick<AppDirectory, 'find'>
  readonly probe: AppProbe
  readonly onError: (error: unknown, checkId: string) => void
}

/** Models answer slowly, so their runs have slots of their own and never delay the others. */
const SLOTS = { agent: 2, other: 8 }
const LEASE_SECONDS = 30
const POLL_SECONDS = 15
const DRAIN_SECONDS = 10
/** How many runs are looked at for some that this process can run. */
const MAX_CANDIDATES = 1_000
/** A run whose process died twice is not begun a third time: it may be the reason. */
const MAX_ATTEMPTS = 2

/** Runs checks that ask a model, or all others. A run that asks an app is left to the process that hosts it. */
export function runJobs(deps: RunDeps, kind: keyof typeof SLOTS): JobKind<ClaimedRun> {
  const { db, probe } = deps
  return {
    name: kind === 'agent' ? 'checks-agent' : 'checks-run',
    slots: SLOTS[kind],
    leaseSeconds: LEASE_SECONDS,
    wakeOn: RUNS_CHANNEL,
    pollSeconds: POLL_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    async claim(limit) {
      const waiting = await findClaimable(db, MAX_CANDIDATES)
      const candidates = waiting.filter(({ asks_model }) => asks_model === (kind === 'agent'))
      const asked = [...new Set(candidates.filter(({ asks_app }) => asks_app).map(({ app_id }) => app_id))]
      const elsewhere = await probe.hostedElsewhere(asked)
      const ids = candidates.filter(({ asks_app, app_id }) => !asks_app || !elsewhere.has(app_id)).map(({ id }) => id)
      return { jobs: ids.length === 0 ? [] : await claimRuns(db, ids.slice(0, limit), LEASE_SECONDS) }
    },
    run: (run, held) => runOnce(deps, run, held),
    renew: (runs) => renewClaims(db, RUN_JOBS, runs, LEASE_SECONDS),
    release: (runs) => releaseRuns(db, runs),
  }
}

async function runOnce(deps: RunDeps, run: ClaimedRun, { signal }: HeldLease): Promise<void> {
  const { db, clock, apps } = deps
  const check = await findCheck(db, run.check_id)
  const app = await apps.find(run.org_id, run.app_id)
  if (!check || !app) return removeRun(db, run)
  const result = await resultOf(deps, run, check, app, signal)
  if (result) await finishRun(db, { run, app, version: check.version, ...result, at: clock.now() })
}

type Result = { readonly outcome: Outcome; readonly tokens: number | null }

/** Returns undefined if the lease was lost or the process stops: another process then begins the run again. */
async function resultOf(
  deps: RunDeps,
  run: ClaimedRun,
  check: CheckRow,
  app: AppName,
  signal: AbortSignal,
): Promise<Result | undefined> {
  if (run.attempt > MAX_ATTEMPTS) return INTERRUPTED
  try {
    return await runDefinition(deps, { app: { orgId: run.org_id, id: app.id }, check, now: deps.clock.now(), signal })
  } catch (error) {
    if (signal.aborted) return undefined
    deps.onError(error, check.id)
    return BROKEN
  }
}

const INTERRUPTED: Result = {
  outcome: { verdict: 'error', code: 'interrupted', detail: 'The process that ran the check ended twice.' },
  tokens: null,
}
const BROKEN: Result = {
  outcome: { verdict: 'error', code: 'internal', detail: 'The check could not run because of a fault in svc.' },
  tokens: null,
}
