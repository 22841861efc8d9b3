import { createServer } from 'node:net'
import { join } from 'node:path'
import { endsWithin } from '#lib/async/race.ts'
import { isCluster } from '#lib/db/embedded/cluster.ts'
import { startEngine } from '#lib/db/embedded/engine-thread.ts'
import { buildFolder } from '#lib/files/bundle.ts'
import { checkWritable, MIN_FREE_BYTES } from '#lib/files/data-folder.ts'
import { lockFolder } from '#lib/files/folder-lock.ts'
import { holdBuild } from '#lib/processes/build-users.ts'
import { beginAnew } from '#lib/processes/start-process.ts'
import { readSettings, type Settings, toConfig } from './config/config.ts'
import { environment } from './config/reader.ts'
import { loadOrMakeSecrets } from './process/first-start/embedded-secrets.ts'
import { printIfSlow } from './process/first-start/progress.ts'
import { checkOpenFiles } from './process/open-files.ts'
import type { Started } from './process/run.ts'

/** Free space that the first start needs: two clusters, one of them for the example. */
const FIRST_START_BYTES = 128 * 1024 * 1024

/** Exit code of a process that did not stop in order. */
const INTERRUPTED = 130
/** Longest wait for the step of a start that is under way when the process is to stop. */
const STEP_MS = 1_000

/** Reads the configuration, starts the services and waits for a signal. */
async function main(): Promise<void> {
  // Files are readable by their owner only. The embedded engine would otherwise make files that everybody may read.
  process.umask(0o077)
  if (buildFolder !== undefined) holdBuild(buildFolder)
  const settings = readSettings(environment())
  const stack = new AsyncDisposableStack()
  const stopping = new AbortController()
  let isRestarting = false
  const stop = async (drains: boolean) => {
    const running = await startedOrEnded(starting)
    if (drains) await running?.drain(settings.drainSeconds)
    const mayCut = !drains && !isRestarting && running !== undefined && (await isAloneWithExample(running))
    const closed = stack.disposeAsync()
    if (mayCut && !(await endsWithin(STEP_MS, closed))) endBySignal()
    await closed
  }
  const onServing = () =>
    stopOnSignal(stopping, stop, () => {
      isRestarting = false
    })
  const restart = () => {
    if (stopping.signal.aborted) return
    isRestarting = true
    void end(stopping, () => stop(false).then(beginAnew))
  }
  // Before that a signal ends the process by itself, also while it loads code, when no handler could run. Nothing was
  // answered by then, and the next start goes on. The kernel gives the first process of a container no such default.
  const isFirstProcess = process.pid === 1
  const starting = start(settings, stack, {
    stopping: stopping.signal,
    onServing: isFirstProcess ? () => {} : onServing,
    restart,
    leavesApps: () => isRestarting,
  })
  if (isFirstProcess) onServing()
  try {
    await starting
  } catch (error) {
    // A start that was stopped has not failed. The stop closes what it opened.
    if (stopping.signal.aborted) return
    await stack.disposeAsync()
    await fail(error, settings)
  }
}

/**
 * Waits until a start that is to stop has ended, so that everything it opens is closed. It ends at its next step; if that
 * takes long, as a migration that waits for locks does, the process ends at once instead, which loses nothing.
 */
async function startedOrEnded(starting: Promise<Started>): Promise<Started | undefined> {
  const ended = starting.catch(() => undefined)
  if (!(await endsWithin(STEP_MS, ended))) endBySignal()
  return ended
}

/**
 * Whether the process has the example data source still to make and nobody is connected. Its engine can take many seconds
 * to open on a busy machine, and whoever works on it, this start or the worker after a former one, would be waited for.
 * The next start makes it.
 */
async function isAloneWithExample(started: Started): Promise<boolean> {
  return started.hasExampleToMake && (await started.openConnections()) === 0
}

type Signals = {
  readonly stopping: AbortSignal
  readonly onServing: () => void
  readonly restart: () => void
  readonly leavesApps: () => boolean
}

/**
 * Starts the embedded engine before it loads the code of the services, because each takes half of a start: the engine
 * opens in a thread of its own. So this file imports nothing that the engine need not wait for.
 */
async function start(settings: Settings, stack: AsyncDisposableStack, signals: Signals): Promise<Started> {
  const { stopping } = signals
  checkOpenFiles()
  const isEmbedded = settings.databaseUrl === undefined
  await assertPortFree(settings)
  if (!isEmbedded) return (await loadRun()).run({ settings, config: toConfig(settings), ...signals }, stack)
  const folder = join(settings.dataDir, 'db')
  const isNew = !isCluster(folder)
  await checkWritable(settings.dataDir, isNew ? FIRST_START_BYTES : MIN_FREE_BYTES)
  stopping.throwIfAborted()
  stack.use(lockFolder(settings.dataDir))
  const config = toConfig(settings, loadOrMakeSecrets(settings.dataDir))
  const prepared = isNew && config.mayMigrate && { prepared: (await import('./process/schema.ts')).preparedSchema() }
  stopping.throwIfAborted()
  const engine = stack.adopt(startEngine({ folder, ...prepared }), (started) => started.close(() => undefined))
  return (await loadRun()).run({ settings, config, engine, ...signals }, stack)
}

function loadRun() {
  return printIfSlow('loading the services', () => import('./process/run.ts'))
}

/** Fails early when the port is in use, which is the most common fault, before the database is opened. */
async function assertPortFree({ host, port }: Settings): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(port, host, resolve)
  })
  await new Promise((resolve) => probe.close(resolve))
}

/**
 * SIGTERM comes from an orchestrator, so the process drains before it stops. SIGINT comes from a person, who need not
 * wait for that. Both finish the requests that run; a second signal of either kind ends the process at once.
 */
function stopOnSignal(stopping: AbortController, stop: (drains: boolean) => Promise<void>, onSecond: () => void): void {
  const onSignal = (drains: boolean) => {
    if (stopping.signal.aborted) onSecond()
    if (stopping.signal.aborted) process.exit(INTERRUPTED)
    return end(stopping, () => stop(drains))
  }
  process.on('SIGTERM', () => void onSignal(true))
  process.on('SIGINT', () => void onSignal(false))
}

/**
 * Ends the process at once, as SIGINT does without a handler. An exit would first end the threads of the process, and the
 * one that loads the model prints a fault then.
 */
function endBySignal(): void {
  if (process.pid === 1) process.exit(INTERRUPTED)
  process.emit('exit', INTERRUPTED)
  process.removeAllListeners('SIGINT')
  process.kill(process.pid, 'SIGINT')
}

async function end(stopping: AbortController, stop: () => Promise<void>): Promise<void> {
  stopping.abort()
  try {
    await stop()
  } catch (error) {
    const { printError } = await import('./process/output.ts')
    printError(`svc did not stop cleanly: ${String(error)}`)
    process.exit(1)
  }
  process.exit(0)
}

async function fail(error: unknown, at: { host: string; port: number; dataDir: string }): Promise<never> {
  const { startFault } = await import('./process/start-fault.ts')
  const { printError } = await import('./process/output.ts')
  printError(`svc cannot start: ${startFault(error, at)}`)
  process.exit(1)
}

main().catch((error: unknown) => fail(error, { host: '', port: 0, dataDir: '' }))
