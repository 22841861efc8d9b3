import { createServer } from 'node:net'
import { join } from 'node:path'
import { checkWritable, MIN_FREE_BYTES } from '#lib/data-folder.ts'
import { isCluster } from '#lib/db/cluster.ts'
import { lockFolder } from '#lib/folder-lock.ts'
import type { Log } from '#lib/log.ts'
import { hasLocalSignIn, localCodeFile } from './compose/sign-in.ts'
import { readSettings, type Settings, toConfig } from './config/config.ts'
import { environment } from './config/reader.ts'
import { loadOrMakeSecrets } from './process/embedded-secrets.ts'
import { exampleOnce, firstRun } from './process/first-run.ts'
import { nextSteps, shortPath } from './process/next-steps.ts'
import { openResources } from './process/resources.ts'
import { startServices } from './process/start.ts'
import { startFault } from './process/start-fault.ts'

/** For two empty clusters, one of them the template of managed databases. */
const FIRST_START_BYTES = 128 * 1024 * 1024

/** Environment -> configuration -> services -> signals. */
async function main(): Promise<void> {
  // What we write is for its owner alone; the embedded engine would make its files open to all.
  process.umask(0o077)
  const settings = readSettings(environment())
  const stack = new AsyncDisposableStack()
  try {
    await start(settings, stack)
  } catch (error) {
    await stack.disposeAsync()
    fail(startFault(error, settings))
  }
  stopOnSignal(stack)
}

async function start(settings: Settings, stack: AsyncDisposableStack): Promise<void> {
  const embedded = settings.databaseUrl === undefined
  await assertPortFree(settings)
  if (embedded) {
    await checkWritable(settings.dataDir, isCluster(join(settings.dataDir, 'db')) ? MIN_FREE_BYTES : FIRST_START_BYTES)
    stack.use(lockFolder(settings.dataDir))
  }
  const config = toConfig(settings, embedded ? loadOrMakeSecrets(settings.dataDir) : {})
  const resources = await openResources(config, stack)
  const firstStart = Promise.withResolvers<void>()
  const checks = { 'first start': { ask: () => firstStart.promise } }
  const running = await startServices(resources, stack, { ...config, checks, urlOf: (name) => config.urls[name] })
  const told = embedded && !config.urls['auth-service'] ? await firstRun(resources, running.url) : undefined
  // The example is a courtesy: without it everything else still starts, and the next start tries again.
  const exampleMade = !told || (await exampleOnce(resources, running).then(() => true, noExample(resources.log)))
  firstStart.resolve()
  const lines = [
    `svc ready at ${running.url}`,
    `  started in ${(performance.now() / 1000).toFixed(1)} s: ${config.services.join(', ')}`,
    ...(hasLocalSignIn(config)
      ? [`  sign in at ${running.url}/auth/local with the code in ${shortPath(localCodeFile(config))}`]
      : []),
    ...[...settings.warnings, ...running.warnings].map((warning) => `  warning: ${warning}`),
    ...(exampleMade ? [] : ['  the example could not be made: see the log, or leave it out with SVC_EXAMPLE=false']),
    ...(told
      ? [
          told.first
            ? nextSteps(running.url, config.dataDir, config.example && exampleMade)
            : `  your API key is in ${shortPath(told.file)}`,
        ]
      : []),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** The commonest fault is told before seconds are spent on a database. */
async function assertPortFree({ host, port }: Settings): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(port, host, resolve)
  })
  await new Promise((resolve) => probe.close(resolve))
}

function noExample(log: Log): (error: unknown) => false {
  return (error) => {
    log.error({ error }, 'the example could not be made')
    return false
  }
}

/** The first signal finishes what runs; the second does not wait. */
function stopOnSignal(stack: AsyncDisposableStack): void {
  let stopping = false
  const stop = () => {
    if (stopping) process.exit(130)
    stopping = true
    stack.disposeAsync().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`svc did not stop cleanly: ${String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function fail(fault: string): never {
  process.stderr.write(`svc cannot start: ${fault}\n`)
  process.exit(1)
}

main().catch((error: unknown) => fail(startFault(error, { host: '', port: 0, dataDir: '' })))
