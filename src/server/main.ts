import { createServer } from 'node:net'
import { join } from 'node:path'
import { isCluster } from '#lib/db/embedded/cluster.ts'
import { startEngine } from '#lib/db/embedded/engine-thread.ts'
import { buildFolder } from '#lib/files/bundle.ts'
import { checkWritable, MIN_FREE_BYTES } from '#lib/files/data-folder.ts'
import { lockFolder } from '#lib/files/folder-lock.ts'
import { holdBuild } from '#lib/processes/build-users.ts'
import { readSettings, type Settings, toConfig } from './config/config.ts'
import { environment } from './config/reader.ts'
import { loadOrMakeSecrets } from './process/first-start/embedded-secrets.ts'
import { checkOpenFiles } from './process/open-files.ts'
import type { Running } from './process/start.ts'

/** Free space that the first start needs: two clusters, one of them for the example. */
const FIRST_START_BYTES = 128 * 1024 * 1024

/** Reads the configuration, starts the services and waits for a signal. */
async function main(): Promise<void> {
  // Files are readable by their owner only. The embedded engine would otherwise make files that everybody may read.
  process.umask(0o077)
  if (buildFolder !== undefined) holdBuild(buildFolder)
  const settings = readSettings(environment())
  const stack = new AsyncDisposableStack()
  try {
    const running = await start(settings, stack)
    stopOnSignal(stack, () => running.drain(settings.drainSeconds))
  } catch (error) {
    await stack.disposeAsync()
    await fail(error, settings)
  }
}

/**
 * Starts the embedded engine before it loads the code of the services, because each takes half of a start: the engine
 * opens in a thread of its own. So this file imports nothing that the engine need not wait for.
 */
async function start(settings: Settings, stack: AsyncDisposableStack): Promise<Running> {
  checkOpenFiles()
  const isEmbedded = settings.databaseUrl === undefined
  await assertPortFree(settings)
  if (!isEmbedded) return (await import('./process/run.ts')).run({ settings, config: toConfig(settings) }, stack)
  const folder = join(settings.dataDir, 'db')
  const isNew = !isCluster(folder)
  await checkWritable(settings.dataDir, isNew ? FIRST_START_BYTES : MIN_FREE_BYTES)
  stack.use(lockFolder(settings.dataDir))
  const config = toConfig(settings, loadOrMakeSecrets(settings.dataDir))
  const prepared = isNew && config.mayMigrate && { prepared: (await import('./process/schema.ts')).preparedSchema() }
  const engine = stack.adopt(startEngine({ folder, ...prepared }), (started) => started.close(() => undefined))
  return (await import('./process/run.ts')).run({ settings, config, engine }, stack)
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
function stopOnSignal(stack: AsyncDisposableStack, drain: () => Promise<void>): void {
  let isStopping = false
  const stop = async (prepare: () => Promise<void>) => {
    if (isStopping) process.exit(130)
    isStopping = true
    try {
      await prepare()
      await stack.disposeAsync()
    } catch (error) {
      const { printError } = await import('./process/output.ts')
      printError(`svc did not stop cleanly: ${String(error)}`)
      process.exit(1)
    }
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop(drain))
  process.on('SIGINT', () => void stop(async () => {}))
}

async function fail(error: unknown, at: { host: string; port: number; dataDir: string }): Promise<never> {
  const { startFault } = await import('./process/start-fault.ts')
  const { printError } = await import('./process/output.ts')
  printError(`svc cannot start: ${startFault(error, at)}`)
  process.exit(1)
}

main().catch((error: unknown) => fail(error, { host: '', port: 0, dataDir: '' }))
