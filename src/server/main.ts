import { createServer } from 'node:net'
import { join } from 'node:path'
import { checkWritable, MIN_FREE_BYTES } from '#lib/data-folder.ts'
import { isCluster } from '#lib/db/cluster.ts'
import { lockFolder } from '#lib/folder-lock.ts'
import { releaseMemory } from '#lib/release-memory.ts'
import { readSettings, type Settings, toConfig } from './config/config.ts'
import { hasLocalSignIn, localCodeFile } from './config/local-sign-in.ts'
import { environment } from './config/reader.ts'
import { loadOrMakeSecrets } from './process/embedded-secrets.ts'
import { finishStart } from './process/finish-start.ts'
import { nextSteps, shortPath } from './process/next-steps.ts'
import { telling } from './process/progress.ts'
import { openResources } from './process/resources.ts'
import type { ServiceName } from './process/service-table.ts'
import { SERVICES } from './process/services.ts'
import { signInLine } from './process/sign-in-line.ts'
import { type Running, startServices } from './process/start.ts'
import { startFault } from './process/start-fault.ts'

/** Free space that the first start needs: two clusters, one of them for the example. */
const FIRST_START_BYTES = 128 * 1024 * 1024

/** After this time the apps of a start run as well. The start needs 70 MB that nothing needs afterwards. */
const SETTLED_MS = 3_000

/** Reads the configuration, starts the services and waits for a signal. */
async function main(): Promise<void> {
  // Files are readable by their owner only. The embedded engine would otherwise make files that everybody may read.
  process.umask(0o077)
  const settings = readSettings(environment())
  const stack = new AsyncDisposableStack()
  try {
    const running = await start(settings, stack)
    stopOnSignal(stack, () => running.drain(settings.drainSeconds))
  } catch (error) {
    await stack.disposeAsync()
    fail(startFault(error, settings))
  }
}

async function start(settings: Settings, stack: AsyncDisposableStack): Promise<Running> {
  const embedded = settings.databaseUrl === undefined
  await assertPortFree(settings)
  if (embedded) {
    await checkWritable(settings.dataDir, isCluster(join(settings.dataDir, 'db')) ? MIN_FREE_BYTES : FIRST_START_BYTES)
    stack.use(lockFolder(settings.dataDir))
  }
  const config = toConfig(settings, embedded ? loadOrMakeSecrets(settings.dataDir) : {})
  loadServices(config.services)
  const resources = await telling('opening the database', () => openResources(config, stack))
  const firstStart = Promise.withResolvers<void>()
  const checks = { 'first start': { ask: () => firstStart.promise } }
  const options = { ...config, checks, urlOf: (name: ServiceName) => config.urls[name] }
  const running = await telling('starting the services', () => startServices(resources, stack, options))
  const hasAccount = embedded && !config.urls['auth-service']
  // Loaded only here: with it all code of accounts would be loaded before the database begins to open.
  const { exampleAppOnce, firstRun, pendingExample } = await import('./process/first-run.ts')
  const account = hasAccount
    ? await telling('creating the first account', () => firstRun(resources, running.url))
    : undefined
  firstStart.resolve()
  const example = account && pendingExample(resources, running)
  const lines = [
    `svc ready at ${running.url}`,
    `  started in ${(performance.now() / 1000).toFixed(1)} s: ${config.services.join(', ')}`,
    ...(hasLocalSignIn(config) ? [`  ${signInLine(running.url, localCodeFile(config))}`] : []),
    ...[...settings.warnings, ...running.warnings].map((warning) => `  warning: ${warning}`),
    ...(example ? ['  the example data source is being created, which takes some seconds'] : []),
    ...(account
      ? [
          account.first
            ? nextSteps(running.url, config.dataDir, config.example)
            : `  your API key is in ${shortPath(account.file)}`,
        ]
      : []),
  ]
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  print(lines.join('\n'))
  const app = account && (() => exampleAppOnce(resources, running))
  const finished = finishStart({ log: resources.log, print, warm: () => running.warm(), example, app }, stack)
  void finished.then(() => setTimeout(releaseMemory, SETTLED_MS).unref())
  return running
}

/** Loads the code of the services while the database opens in a thread of its own. Faults show where they are used. */
function loadServices(names: readonly ServiceName[]): void {
  for (const name of names) void SERVICES[name]().catch(() => undefined)
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
      process.stderr.write(`svc did not stop cleanly: ${String(error)}\n`)
      process.exit(1)
    }
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop(drain))
  process.on('SIGINT', () => void stop(async () => {}))
}

function fail(fault: string): never {
  process.stderr.write(`svc cannot start: ${fault}\n`)
  process.exit(1)
}

main().catch((error: unknown) => fail(startFault(error, { host: '', port: 0, dataDir: '' })))
