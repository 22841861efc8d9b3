import { relative } from 'node:path'
import { FolderInUse, lockFolder } from '#lib/folder-lock.ts'
import { ConfigError, environment, readSettings, toConfig } from './config.ts'
import { loadOrMakeSecrets } from './embedded-secrets.ts'
import { firstRun } from './first-run.ts'
import { openResources } from './resources.ts'
import { startServices } from './start.ts'

/** Environment -> configuration -> services -> signals. */
async function main(): Promise<void> {
  const stack = new AsyncDisposableStack()
  try {
    await start(stack)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
  stopOnSignal(stack)
}

async function start(stack: AsyncDisposableStack): Promise<void> {
  const settings = readSettings(environment())
  const embedded = settings.databaseUrl === undefined
  if (embedded) stack.use(lockFolder(settings.dataDir))
  const config = toConfig(settings, embedded ? loadOrMakeSecrets(settings.dataDir) : {})
  const resources = await openResources(config, stack)
  for (const name of settings.unknown) resources.log.warn({ name }, 'this variable is not one svc knows')
  const running = await startServices(resources, stack, { ...config, urlOf: (name) => config.urls[name] })
  const told = embedded && !config.urls['auth-service'] ? await firstRun(resources, running.url) : undefined
  const lines = [
    `svc ready at ${running.url}`,
    `  started in ${(performance.now() / 1000).toFixed(1)} s: ${config.services.join(', ')}`,
    ...(told ? [told.first ? nextSteps(running.url, told.file) : `  your API key is in ${shown(told.file)}`] : []),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function nextSteps(url: string, file: string): string {
  return `
A new organization, its owner and an API key are in ${shown(file)}. Try:

  npx svc login --api-url ${url} --api-key "$(node -p 'JSON.parse(fs.readFileSync("${shown(file)}")).api_key')"
  npx svc datasource list
  curl ${url}/docs
`
}

function shown(file: string): string {
  const near = relative(process.cwd(), file)
  return near.startsWith('..') ? file : near
}

/** The first signal finishes what runs; the second does not wait. */
function stopOnSignal(stack: AsyncDisposableStack): void {
  let stopping = false
  const stop = () => {
    if (stopping) process.exit(130)
    stopping = true
    stack.disposeAsync().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function fail(error: unknown): never {
  const expected = error instanceof ConfigError || error instanceof FolderInUse
  process.stderr.write(
    `svc cannot start: ${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  )
  process.exit(1)
}

main().catch(fail)
