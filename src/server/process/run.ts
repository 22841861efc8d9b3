import type { EngineThread } from '#lib/db/embedded/engine-thread.ts'
import { releaseMemory } from '#lib/memory/release-memory.ts'
import type { Config, Settings } from '../config/config.ts'
import { hasLocalSignIn, localCodeFile } from '../config/local-sign-in.ts'
import type { ServiceName } from '../config/service-table.ts'
import { controlRequests } from './control-requests.ts'
import { serveControl } from './control-socket.ts'
import { finishStart } from './first-start/finish-start.ts'
import { nextSteps, shortPath } from './first-start/next-steps.ts'
import { peopleAddress } from './first-start/people-address.ts'
import { printIfSlow } from './first-start/progress.ts'
import { signInLine } from './first-start/sign-in-line.ts'
import { takeLeftovers } from './leftovers.ts'
import { printLine } from './output.ts'
import { beginResources } from './resources.ts'
import { SERVICES } from './services.ts'
import { type Running, startServices } from './start.ts'

/** After this time the apps of a start run as well. The start needs 70 MB that nothing needs afterwards. */
const SETTLED_MS = 3_000

type RunInput = {
  settings: Settings
  config: Config
  /** Set on the embedded database. It may still be opening. */
  engine?: EngineThread
  /** Aborted when the process is to stop. The start then ends at its next step and rejects. */
  stopping: AbortSignal
  /** Called before the first request is answered. */
  onServing: () => void
  /** Stops the process and starts it again. */
  restart: () => void
  /** Whether apps go on when the process stops. */
  leavesApps: () => boolean
}

/** `hasExampleToMake` says whether the example data source is still to be made, or being made. */
export type Started = Running & { readonly hasExampleToMake: boolean }

/** Opens the stores, starts the services and prints where they are. */
export async function run(input: RunInput, stack: AsyncDisposableStack): Promise<Started> {
  const { settings, config, engine, stopping, onServing, restart, leavesApps } = input
  // Loads the code of the services while the database opens in a thread of its own. Faults show where they are used.
  for (const name of config.services) void SERVICES[name]().catch(() => undefined)
  const { resources, prepared } = await printIfSlow('opening the stores', () =>
    beginResources(config, stack, engine ? { engine } : {}),
  )
  stopping.throwIfAborted()
  const onError = (error: unknown) => resources.log.warn({ error }, 'a folder that was being removed cannot be deleted')
  const deleteLeftovers = takeLeftovers(config.dataDir, onError)
  const firstStart = Promise.withResolvers<void>()
  const checks = { 'first start': { ask: () => firstStart.promise } }
  const options = {
    ...config,
    checks,
    prepared,
    stopping,
    onServing,
    leavesApps,
    urlOf: (name: ServiceName) => config.urls[name],
  }
  const starting = startServices(resources, stack, options)
  await printIfSlow('opening the database', () => Promise.race([prepared, starting]).catch(() => undefined))
  const running = await printIfSlow('starting the services', () => starting)
  stopping.throwIfAborted()
  if (engine) stack.use(await serveControl(config.dataDir, controlRequests(resources, restart)))
  const hasAccount = engine !== undefined && !config.urls['auth-service']
  const { exampleAppOnce, firstRun, pendingExample } = await import('./first-start/first-run.ts')
  const account = hasAccount
    ? await printIfSlow('creating the first account', () => firstRun(resources, running.url))
    : undefined
  firstStart.resolve()
  stopping.throwIfAborted()
  const example = account && pendingExample(resources, running)
  const people = peopleAddress(running.url, config.signIn.redirectBaseUrl)
  const lines = [
    `svc ready at ${people.url}`,
    ...people.notes.map((note) => `  ${note}`),
    `  started in ${(performance.now() / 1000).toFixed(1)} s: ${config.services.join(', ')}`,
    ...(hasLocalSignIn(config) ? [`  ${signInLine(people.url, localCodeFile(config))}`] : []),
    ...running.notes.map((note) => `  ${note}`),
    ...[...settings.warnings, ...running.warnings].map((warning) => `  warning: ${warning}`),
    ...(example ? ['  the example data source is being created, which takes some seconds'] : []),
    ...(account
      ? [
          account.first
            ? nextSteps(people.url, config.dataDir, config.example)
            : `  your API key is in ${shortPath(account.file)}`,
        ]
      : []),
  ]
  void deleteLeftovers()
  printLine(lines.join('\n'))
  const app = account && ((signal: AbortSignal) => exampleAppOnce(resources, running, signal))
  let hasExampleToMake = example !== undefined
  const make = async (signal: AbortSignal) => {
    await example?.make(signal)
    hasExampleToMake = false
  }
  const warm = (signal: AbortSignal) => running.warm(signal)
  const finished = finishStart(
    { log: resources.log, print: printLine, warm, example: example && { make }, app, stopping },
    stack,
  )
  void finished.then(() => setTimeout(releaseMemory, SETTLED_MS).unref())
  return {
    ...running,
    get hasExampleToMake() {
      return hasExampleToMake
    },
  }
}
