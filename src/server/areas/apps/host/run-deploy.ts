import type { DeployFailure } from '#contract/apps/deploys.ts'
import { failureLine } from '#contract/apps/failed-deploy.ts'
import type { Tx } from '#lib/db/db.ts'
import { messageOf } from '#lib/message-of.ts'
import type { Lease } from '#lib/work/lease.ts'
import { beginDeploy, type DeployRow, type HostedApp, moveDeploy, retireLive, returnToQueue } from '../deploys/store.ts'
import type { BuildResult, DeployFacts, Instance, OnLine, Release } from '../deploys/target.ts'
import { findStoredLines } from '../logs/store.ts'
import { asHost, HostLost } from './as-host.ts'
import type { HostDeps } from './deps.ts'
import { failDeploy } from './fail-deploy.ts'
import { HARMFUL } from './harmful.ts'
import { probeUntilHealthy } from './probe.ts'
import { writeFault } from './write-fault.ts'

/** A deploy that failed for a reason its owner can read. */
class DeployFailed extends Error {
  readonly code: DeployFailure
  constructor(code: DeployFailure, detail: string) {
    super(detail)
    this.code = code
  }
}

/** An instance that passed its probes and may take the traffic over. */
export type Healthy = { readonly deploy: DeployRow; readonly instance: Instance; readonly release: Release }

/**
 * Takes back what a deploy began. `leave` where this process, or another one, begins again with the same deploy, or
 * removes it with its app: then an instance that can outlive the process must not be stopped.
 */
type Undo = (how: 'stop' | 'leave') => Promise<void>

type Context = {
  readonly app: HostedApp
  readonly lease: Lease
  readonly signal: AbortSignal
  /** Sends requests to the instance from now on, whose owner the caller becomes. The result takes that back. */
  readonly takeOver: (healthy: Healthy) => Undo
  /** Called when answers of the deploy ended the door. */
  readonly onHarmful: (deploy: DeployRow) => void
}

const UNDER_WAY = ['building', 'starting'] as const

/**
 * Runs one deploy: builds, starts and probes the new instance next to the one that serves, and makes it live. Returns
 * undefined when it did not become live; then what served before goes on. A stop of the process puts it back into the
 * queue. The traffic moves before the deploy is called live, so that whoever sees it live gets its answers.
 */
export async function runDeploy(deps: HostDeps, queued: DeployRow, context: Context): Promise<DeployRow | undefined> {
  const { db, time } = deps
  const { lease, signal } = context
  const deploy = await asHost(db, lease, (tx) => beginDeploy(tx, queued.id, time.now()))
  if (!deploy) return undefined
  let undo: Undo = async () => {}
  let isHarmful = false
  /** Until it takes the traffic over. */
  let starting: Instance | undefined
  const onHarmful = () => {
    isHarmful = true
    context.onHarmful(deploy)
    void starting?.stop(0)
  }
  try {
    const built = await buildDeploy(deps, deploy, signal)
    if (!built.ok) throw new DeployFailed(built.code, built.detail)
    const { release } = built
    await deps.logStored(deploy.app_id)
    if (!(await asHost(db, lease, (tx) => moveDeploy(tx, deploy.id, ['building'], { state: 'starting' }))))
      return undefined
    const instance = await startInstance(deps, { deploy, release, fence: lease.fence, onHarmful, signal })
    starting = instance
    undo = (how) => instance[how](0)
    const health = await probeUntilHealthy(instance, deploy.health_path ?? '/', time, signal)
    if (signal.aborted) throw signal.reason
    if (isHarmful) throw new DeployFailed(HARMFUL.code, HARMFUL.detail)
    if (!health.ok) throw new DeployFailed(health.code, health.detail)
    starting = undefined
    undo = context.takeOver({ deploy, instance, release })
    await deps.traffic.routed(context.app.host_label)
    const live = await asHost(db, lease, (tx) => goLive(tx, deploy, time.now()))
    if (!live) throw new Error(`deploy ${deploy.id} is not starting any more`)
    return live
  } catch (error) {
    await undo(signal.aborted || error instanceof HostLost ? 'leave' : 'stop')
    await settle(deps, deploy, context, error)
    return undefined
  }
}

/** Builds the revision of a deploy, whose lines go to the app's log. Rejects when the signal is aborted. */
export async function buildDeploy(
  { target, readFiles, readVariables, writeLog }: HostDeps,
  deploy: DeployRow,
  signal: AbortSignal,
): Promise<BuildResult> {
  const built = await target.build({
    deploy: factsOf(deploy),
    files: readFiles(deploy.org_id, deploy.revision_id),
    environment: await readVariables(deploy.app_id),
    onLine: lineWriter(writeLog, deploy, 'build'),
    signal,
  })
  signal.throwIfAborted()
  return built
}

type NewInstance = {
  deploy: DeployRow
  release: Release
  fence: number
  onHarmful: () => void
  signal: AbortSignal
  /** Whether it may run already. */
  isResumed?: boolean
}

/** Starts an instance of a deploy, whose lines go to the app's log. */
export async function startInstance(
  { db, target, readVariables, writeLog, logStored }: HostDeps,
  { deploy, release, fence, onHarmful, signal, isResumed = false }: NewInstance,
): Promise<Instance> {
  const { start_command: startCommand } = deploy
  if (startCommand === null) throw new DeployFailed('START_FAILED', 'The app has no start command.')
  try {
    return await target.start({
      deploy: { ...factsOf(deploy), startCommand },
      release,
      environment: await readVariables(deploy.app_id),
      onLine: lineWriter(writeLog, deploy, 'app'),
      fence,
      storedLines: async () => {
        // Lines that this process still has to store would otherwise be sent to it a second time.
        if (isResumed) await logStored(deploy.app_id)
        return findStoredLines(db, deploy)
      },
      onHarmful,
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    throw new DeployFailed('START_FAILED', `The app could not be started: ${messageOf(error)}`)
  }
}

/** Gives a deploy the place of the live one. Both rows change in one transaction, so one of them is always live. */
async function goLive(tx: Tx, deploy: DeployRow, at: Date): Promise<DeployRow | undefined> {
  await retireLive(tx, deploy.app_id, at)
  return moveDeploy(tx, deploy.id, ['starting'], { state: 'live', live_at: at })
}

/** Records how a deploy ended that did not become live. */
async function settle(
  deps: HostDeps,
  deploy: DeployRow,
  { app, lease, signal }: Context,
  error: unknown,
): Promise<void> {
  const { db, time, onError, writeLog, logStored } = deps
  if (signal.aborted) {
    await asHost(db, lease, (tx) => returnToQueue(tx, deploy.id, { countsAttempt: false }))
    return
  }
  if (!(error instanceof DeployFailed)) onError(error, app.id)
  const failure =
    error instanceof DeployFailed
      ? { code: error.code, detail: error.message }
      : { code: 'INTERRUPTED' as const, detail: 'svc itself had a fault while deploying. Deploy again.' }
  writeFault(writeLog, deploy, failureLine({ failure_code: failure.code, failure_detail: failure.detail }))
  // Whoever follows the deploy stops at its end, and must have seen why it failed.
  await logStored(app.id)
  await asHost(db, lease, (tx) => failDeploy(tx, app, deploy, UNDER_WAY, { ...failure, at: time.now() }))
}

/** Writes lines to the log: what goes to stderr at a higher level, and what svc itself says as such. */
function lineWriter(writeLog: HostDeps['writeLog'], deploy: DeployRow, source: 'app' | 'build'): OnLine {
  const of = { appId: deploy.app_id, deployId: deploy.id }
  const stderr = source === 'app' ? 'error' : 'warn'
  return ({ stream, ...line }) => {
    if (stream === 'system') writeLog({ ...of, source: 'system', level: 'warn', ...line })
    else writeLog({ ...of, source, level: stream === 'stderr' ? stderr : 'info', ...line })
  }
}

function factsOf(deploy: DeployRow): DeployFacts {
  return {
    orgId: deploy.org_id,
    appId: deploy.app_id,
    deployId: deploy.id,
    revisionId: deploy.revision_id,
    buildCommand: deploy.build_command,
    startCommand: deploy.start_command,
    healthPath: deploy.health_path ?? '/',
  }
}
