import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { IDLE_POLL_SECONDS } from '#lib/work/idle-poll.ts'
import type { HeldLease, JobKind } from '#lib/work/job-kind.ts'
import { renewClaims } from '#lib/work/job-table.ts'
import type { AppDirectory, AppName, AppProbe } from '#ports/apps.ts'
import { RESTART_GRACE_MS } from '#ports/restart-grace.ts'
import { finishRun } from './finish.ts'
import type { Restarting } from './kinds/outcome.ts'
import { type Result, type RunDefinitionDeps, runDefinition } from './kinds/run-definition.ts'
import {
  type ClaimedRun,
  claimRuns,
  findClaimable,
  hasOpenRuns,
  holdRuns,
  postponeRun,
  RUN_JOBS,
  RUNS_CHANNEL,
  releaseRuns,
  removeRun,
  type WaitingRun,
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
const DRAIN_SECONDS = 10
/** How many runs are looked at for some that this process can run. */
const MAX_CANDIDATES = 1_000
/** A run whose process died twice is not begun a third time: it may be the reason. */
const MAX_ATTEMPTS = 2

/** How soon a run that svc kept from a verdict is begun again. */
const POSTPONED_SECONDS = 15
/** While runs are open: nothing announces that one is not held back any more, or that its process died. */
const OPEN_POLL_SECONDS = 15
const HOLD_SECONDS = RESTART_GRACE_MS / 1000
/** Errors of a check that a start of the process or of its machine can cause. */
const STARTING_ERRORS = ['internal', 'dns']

/**
 * Runs checks that ask a model, or all others. A run is left to the process that hosts its app, because that one knows
 * whether svc itself is the reason why the app does not run.
 */
export function runJobs(deps: RunDeps, kind: keyof typeof SLOTS): JobKind<ClaimedRun> {
  const { db, clock } = deps
  let startedAt: Date | undefined
  return {
    name: kind === 'agent' ? 'checks-agent' : 'checks-run',
    slots: SLOTS[kind],
    leaseSeconds: LEASE_SECONDS,
    wakeOn: RUNS_CHANNEL,
    pollSeconds: IDLE_POLL_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    async claim(limit) {
      startedAt ??= clock.now()
      if (!(await hasOpenRuns(db))) return { jobs: [] }
      const waiting = await findClaimable(db, MAX_CANDIDATES)
      const candidates = waiting.filter(({ asks_model }) => asks_model === (kind === 'agent'))
      const ids = (await withoutHeld(deps, candidates)).map(({ id }) => id)
      const jobs = ids.length === 0 ? [] : await claimRuns(db, ids.slice(0, limit), LEASE_SECONDS)
      return { jobs, nextInSeconds: OPEN_POLL_SECONDS }
    },
    run: (run, held) => runOnce(deps, run, held, startedAt ?? clock.now()),
    renew: (runs) => renewClaims(db, RUN_JOBS, runs, LEASE_SECONDS),
    release: (runs) => releaseRuns(db, runs),
  }
}

/**
 * Leaves out runs of apps that another process hosts, and holds back those of apps that svc is starting again: they
 * wait until the app answers, for two minutes at most, however often svc is restarted meanwhile. The log of such an app
 * has a gap, so its lines are judged after the two minutes only.
 */
async function withoutHeld({ db, probe }: RunDeps, runs: readonly WaitingRun[]): Promise<readonly WaitingRun[]> {
  const elsewhere = await probe.hostedElsewhere([...new Set(runs.map(({ app_id }) => app_id))])
  const here = runs.filter(({ app_id }) => !elsewhere.has(app_id))
  const restarts = await probe.restarts([...new Set(here.map(({ app_id }) => app_id))])
  const held = here.filter(({ app_id, reads_log, hold }) => {
    const restart = restarts.get(app_id)
    return restart !== undefined && hold !== 'over' && (reads_log || !restart.isServed)
  })
  const begun = held.filter(({ hold }) => hold === 'none').map(({ id }) => id)
  if (begun.length > 0) await holdRuns(db, begun, HOLD_SECONDS)
  return here.filter((run) => !held.includes(run))
}

async function runOnce(deps: RunDeps, run: ClaimedRun, { signal }: HeldLease, startedAt: Date): Promise<void> {
  const { db, clock, apps } = deps
  const check = await findCheck(db, run.check_id)
  const app = await apps.find(run.org_id, run.app_id)
  if (!check || !app) return removeRun(db, run)
  const result = await resultOf(deps, run, check, app, signal)
  if (result === 'stopped') return postponeRun(db, run, 0)
  if (result === 'restarting' || (run.hold !== 'over' && isOfStart(result, startedAt, clock.now()))) {
    await holdRuns(db, [run.id], HOLD_SECONDS)
    return postponeRun(db, run, POSTPONED_SECONDS)
  }
  // Both processes ended because of svc, so the run says nothing about the app.
  const isCounted = result !== INTERRUPTED
  await finishRun(db, { run, app, version: check.version, ...result, isCounted, at: clock.now() })
}

/** Whether a check may have been in error only because this process has just started. */
function isOfStart({ outcome }: Result, startedAt: Date, now: Date): boolean {
  if (outcome.verdict !== 'error' || !STARTING_ERRORS.includes(outcome.code)) return false
  return now.getTime() < startedAt.getTime() + RESTART_GRACE_MS
}

/** Returns `stopped` if the lease was lost or the process stops: another process then begins the run again. */
async function resultOf(
  deps: RunDeps,
  run: ClaimedRun,
  check: CheckRow,
  app: AppName,
  signal: AbortSignal,
): Promise<Result | Restarting | 'stopped'> {
  if (run.attempt > MAX_ATTEMPTS) return INTERRUPTED
  try {
    const probe = run.hold === 'over' ? withoutRestarts(deps.probe) : deps.probe
    return await runDefinition(
      { ...deps, probe },
      { app: { orgId: run.org_id, id: app.id }, check, now: deps.clock.now(), signal },
    )
  } catch (error) {
    if (signal.aborted) return 'stopped'
    deps.onError(error, check.id)
    return BROKEN
  }
}

/** An app that svc restarts again and again is taken for one that does not run. */
function withoutRestarts(probe: AppProbe): Pick<AppProbe, 'get'> {
  return {
    get: async (...asked) => {
      const answer = await probe.get(...asked)
      return answer.type === 'restarting' ? { type: 'not_running' } : answer
    },
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
