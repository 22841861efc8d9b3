import { type Client, createClient } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { DETECTORS_MODEL } from '#contract/maintenance/settings.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppDirectory, AppSource } from '#ports/apps.ts'
import { type LookRequest, lookWithModel, type ModelDeps } from '../agent/look-with-model.ts'
import { ToolFailed } from '../agent/run-tool.ts'
import { ClaimLost } from '../agent/spend.ts'
import type { ClaimedRun } from '../claims/claim.ts'
import { holdRun } from '../claims/held.ts'
import { findLastLook } from '../claims/last-look.ts'
import { setRevision, setValidating } from '../claims/store.ts'
import type { RunTokens } from '../claims/token.ts'
import { digestOf, type Look, lookForFaults } from '../detect/look.ts'
import { listEdits } from '../edits/store.ts'
import { toSeen } from '../findings/record.ts'
import { findFormer } from '../findings/store.ts'
import { findRefusal, type OpenDeps } from '../proposals/open.ts'
import { type ChangeDeps, validateChange } from '../proposals/validate/validate-change.ts'
import { finishRun, type ProposedChange } from './finish.ts'
import type { RunResult } from './result.ts'

export type WorkDeps = ModelDeps & {
  readonly clock: Clock
  readonly apps: Pick<AppDirectory, 'find'>
  readonly source: Pick<AppSource, 'live'>
  readonly tokens: RunTokens
  /** For runs that end with a change of the source. */
  readonly changes: ChangeDeps & OpenDeps
  /** Sends a request to the service that answers the tools. */
  readonly toolFetch: (request: Request, executionId: string) => Promise<Response>
  readonly onError: (error: unknown, executionId: string) => void
}

/** Does a run from its claim to its end. Writes nothing more once the claim is gone. */
export async function workAt(deps: WorkDeps, run: ClaimedRun, signal: AbortSignal): Promise<void> {
  const app = await deps.apps.find(run.org_id, run.app_id)
  if (!app) return
  const pinned = await pinRevision(deps, run)
  const result = await resultOf(deps, pinned, signal)
  if (!result) return
  const change = result.type === 'change' ? await validate(deps, pinned, result, signal) : undefined
  if (result.type === 'change' && !change) return
  await finishRun(deps, { claim: run, app, result, ...(change && { change }), at: deps.clock.now() })
}

/** Notes which revision is live, so that all reads of the run are of the same one, whatever is deployed meanwhile. */
async function pinRevision({ db, source }: WorkDeps, run: ClaimedRun): Promise<ClaimedRun> {
  const revisionId = (await source.live(run.org_id, run.app_id))?.revisionId ?? null
  await db.tx(async (tx) => {
    if (await holdRun(tx, run)) await setRevision(tx, run.id, revisionId)
  })
  return { ...run, revision_id: revisionId }
}

/** Returns undefined if the claim is gone: the run was ended by somebody else, or ends when its lease has run out. */
async function resultOf(deps: WorkDeps, run: ClaimedRun, signal: AbortSignal): Promise<RunResult | undefined> {
  let detected: Look['detected'] = []
  try {
    const tools = toolsOf(deps, run)
    const look = await lookForFaults(tools, signal)
    detected = look.detected
    return await lookFurther(deps, { run, look, tools, signal })
  } catch (error) {
    if (signal.aborted || error instanceof ClaimLost || isRefused(error)) return undefined
    deps.onError(error, run.id)
    const code = error instanceof ToolFailed || error instanceof ServiceError ? 'tool_error' : 'internal'
    return { type: 'failed', code, reason: null, detected }
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'INVALID_TOKEN'
}

/** The model is asked only if something changed since the last complete look. */
async function lookFurther(deps: WorkDeps, given: LookRequest): Promise<RunResult> {
  const { run, look } = given
  const rest = { detected: look.detected, digest: digestOf(look, run.model) }
  if (run.model === DETECTORS_MODEL) return { type: 'detected', ...rest }
  const last = await findLastLook(deps.db, run.app_id)
  if (last?.evidence_digest === rest.digest) return { type: 'unchanged', last, ...rest }
  const ending = await lookWithModel({ ...deps, runsTests: runsTests(deps.changes.trials) }, given)
  if ('failed' in ending) {
    return { type: 'failed', code: ending.failed, reason: ending.reason, detected: look.detected }
  }
  switch (ending.verdict) {
    case 'nothing':
      return { type: 'nothing', ...rest }
    case 'finding':
      return { type: 'finding', finding: ending.finding, ...rest }
    case 'change':
      return { type: 'change', finding: ending.finding, test: ending.test, ...rest }
    default:
      return ending satisfies never
  }
}

function runsTests(trials: ChangeDeps['trials']): boolean {
  return 'withTests' in trials && trials.withTests
}

function toolsOf({ tokens, toolFetch }: WorkDeps, run: ClaimedRun): Client {
  const authorization = `Bearer ${tokens.mint(run)}`
  return createClient({
    baseUrl: 'http://deploy-api',
    fetch: (request) => toolFetch(request, run.id),
    headers: () => ({ authorization }),
  })
}

/** Returns undefined if the claim is gone. A change that would not be proposed is neither made nor built. */
async function validate(
  deps: WorkDeps,
  run: ClaimedRun,
  { finding, test }: Extract<RunResult, { type: 'change' }>,
  signal: AbortSignal,
): Promise<ProposedChange | undefined> {
  const { db, changes } = deps
  const begun = await beginValidation(deps, run, toSeen(finding).fingerprint)
  if (begun !== 'begun') return begun
  return validateChange(changes, {
    ...revisionOf(run),
    edits: await listEdits(db, run.id),
    summary: finding.summary,
    test,
    hold: async (tx) => (await holdRun(tx, run)) !== undefined,
    signal,
  })
}

function revisionOf({ org_id, app_id, revision_id }: ClaimedRun) {
  return { orgId: org_id, appId: app_id, revisionId: revision_id! }
}

async function beginValidation({ db, clock, changes }: WorkDeps, run: ClaimedRun, fingerprint: string) {
  return db.tx(async (tx) => {
    if (!(await holdRun(tx, run))) return undefined
    const former = await findFormer(tx, run.app_id, [fingerprint])
    if (former.get(fingerprint)?.is_dismissed) return { refused: 'known' } as const
    const refused = await findRefusal(tx, changes, { ...revisionOf(run), fingerprint, at: clock.now() })
    if (refused) return { refused }
    await setValidating(tx, run.id)
    return 'begun'
  })
}
