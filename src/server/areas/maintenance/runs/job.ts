import { createClient } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { AppDirectory, AppSource, HoldApp } from '#edge/apps.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import type { HeldLease, JobKind } from '#lib/work/job-kind.ts'
import { lookForFaults } from '../detect/look.ts'
import type { RunTokens } from '../identity/token.ts'
import type { OpenDeps } from '../proposals/open.ts'
import type { ChangeDeps } from '../proposals/validate-change.ts'
import { type ClaimedRun, claimRuns, endExpired, releaseRuns, renewRuns } from './claim.ts'
import { emitEnd, finishRun, type RunResult } from './finish.ts'
import { holdRun } from './held.ts'
import { RUNS_CHANNEL, setRevision } from './store.ts'

export type RunDeps = {
  /** For runs that end with a change of the source. */
  readonly changes: ChangeDeps & OpenDeps
  readonly db: Db
  readonly clock: Clock
  readonly apps: Pick<AppDirectory, 'find'> & { readonly hold: HoldApp }
  readonly source: Pick<AppSource, 'live'>
  readonly tokens: RunTokens
  /** Sends a request to the service that answers the tools. */
  readonly toolFetch: (request: Request, executionId: string) => Promise<Response>
  readonly onError: (error: unknown, executionId: string) => void
}

const SLOTS = 4
const LEASE_SECONDS = 30
const POLL_SECONDS = 10
const DRAIN_SECONDS = 10

export function runJobs(deps: RunDeps): JobKind<ClaimedRun> {
  const { db } = deps
  return {
    name: 'maintenance-run',
    slots: SLOTS,
    leaseSeconds: LEASE_SECONDS,
    wakeOn: RUNS_CHANNEL,
    pollSeconds: POLL_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    async claim(limit) {
      await endLost(deps)
      return { jobs: await claimRuns(db, limit, LEASE_SECONDS) }
    },
    run: (run, held) => runOnce(deps, run, held),
    renew: (runs) => renewRuns(db, runs, LEASE_SECONDS),
    release: (runs) => releaseRuns(db, runs),
  }
}

/** Ends runs that nobody works at any more, so that their apps can be run again. */
async function endLost({ db, clock, apps }: RunDeps): Promise<void> {
  await db.tx(async (tx) => {
    for (const run of await endExpired(tx)) {
      const app = await apps.hold(tx, run.org_id, run.app_id)
      if (app) await emitEnd(tx, { run, app, code: 'lease_expired', at: clock.now() })
    }
  })
}

async function runOnce(deps: RunDeps, run: ClaimedRun, { signal }: HeldLease): Promise<void> {
  const app = await deps.apps.find(run.org_id, run.app_id)
  if (!app) return
  await pinRevision(deps, run)
  const result = await resultOf(deps, run, signal)
  if (result) await finishRun(deps.db, { claim: run, app, result, at: deps.clock.now() })
}

/** Notes which revision is live, so that all reads of the run are of the same one, whatever is deployed meanwhile. */
async function pinRevision({ db, source }: RunDeps, run: ClaimedRun): Promise<void> {
  const live = await source.live(run.org_id, run.app_id)
  await db.tx(async (tx) => {
    if (await holdRun(tx, run)) await setRevision(tx, run.id, live?.revisionId ?? null)
  })
}

/** Returns undefined if the claim is gone: the run was ended by somebody else, or ends when its lease has run out. */
async function resultOf(
  { tokens, toolFetch, onError }: RunDeps,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<RunResult | undefined> {
  const authorization = `Bearer ${tokens.mint(run)}`
  const tools = createClient({
    baseUrl: 'http://deploy-api',
    fetch: (request) => toolFetch(request, run.id),
    headers: () => ({ authorization }),
  })
  try {
    return { found: await lookForFaults(tools, signal) }
  } catch (error) {
    if (signal.aborted || isRefused(error)) return undefined
    onError(error, run.id)
    return { failed: 'tool_error' satisfies TerminalCode }
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'INVALID_TOKEN'
}
