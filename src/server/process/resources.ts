import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { createPrincipalCache } from '#edge/credentials/caller.ts'
import { createCheckedCallers } from '#edge/fast/checked-callers.ts'
import { checkDataKeys } from '#lib/crypto/data-keys.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import type { EngineThread } from '#lib/db/embedded/engine-thread.ts'
import { sql } from '#lib/db/sql.ts'
import { type KeyValueStore, openMemoryStore } from '#lib/kv/kv.ts'
import { withFallback } from '#lib/kv/kv-fallback.ts'
import { createLog, type Log } from '#lib/log/log.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { createKeptConnections } from '#lib/net/kept-connections.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import { type Clock, systemClock } from '#lib/time/clock.ts'
import type { Spans } from '#lib/tracing/spans.ts'
import type { Resources } from '../compose/parts.ts'
import type { Config } from '../config/config.ts'
import { assets } from '../files/assets.ts'
import { holdInstallationLock } from './installation-lock.ts'
import { openDatabase } from './open-database.ts'
import { prepareSchema } from './schema.ts'
import { tracedDb, tracedOutgoing, tracedSafeFetch } from './traced.ts'

type Overrides = { clock?: Clock; log?: Log; db?: Db; engine?: EngineThread; kv?: KeyValueStore } & Partial<
  Pick<Resources, 'outgoing' | 'safeFetch' | 'checkAddress' | 'shared'>
>

/** Opens the database, the key-value store and everything else a process has one of. `stack` closes them again. */
export async function openResources(
  config: Config,
  stack: AsyncDisposableStack,
  over: Overrides = {},
): Promise<Resources> {
  const { resources, prepared } = await beginResources(config, stack, over)
  await prepared
  return resources
}

/**
 * Opens all but an engine that is still opening, so that the services can be built meanwhile. Nothing may use the
 * database before `prepared` resolves, which is when it is open and has the schema of this version.
 */
export async function beginResources(
  config: Config,
  stack: AsyncDisposableStack,
  over: Overrides = {},
): Promise<{ resources: Resources; prepared: Promise<void> }> {
  const clock = over.clock ?? systemClock
  const log = over.log ?? createLog(config.logLevel)
  const spans = await openTraces(config, log, stack)
  const plainDb = over.db ?? stack.use(await openDatabase(config, log, over.engine))
  const db = spans ? tracedDb(plainDb, spans) : plainDb
  const installationLock = over.db ? undefined : await holdInstallationLock(db, config)
  const prepared = over.db ? Promise.resolve() : prepare(db, config, log, over.engine)
  // Awaited here as well where no engine is opening: a process on Postgres builds nothing before its schema is there.
  if (over.engine) prepared.catch(() => undefined)
  else await prepared
  const kv = over.kv ?? stack.use(await openStore(config, log, clock))
  const outgoing = over.outgoing ?? stack.use(createOperatorFetch())
  const safeFetch = over.safeFetch ?? createSafeFetch({ keptConnections: stack.use(createKeptConnections()) })
  const resources: Resources = {
    config,
    clock,
    log,
    db,
    kv,
    ...(installationLock && { installationLock }),
    version: readVersion(),
    sealer: createSealer(config.secrets.dataKeys),
    metrics: createMetrics({ processMetrics: !over.log }),
    principalCache: createPrincipalCache(clock),
    checkedCallers: createCheckedCallers(() => performance.now()),
    unfinishedSources: new Set(),
    outgoing: spans ? tracedOutgoing(outgoing, spans) : outgoing,
    safeFetch: spans ? tracedSafeFetch(safeFetch, spans) : safeFetch,
    checkAddress: over.checkAddress ?? createAddressCheck(),
    shared: over.shared ?? createShared(() => resources, stack),
    ...(spans && { spans }),
  }
  return { resources, prepared }
}

async function openTraces(config: Config, log: Log, stack: AsyncDisposableStack): Promise<Spans | undefined> {
  if (!config.traces) return undefined
  // Loaded only here, because the library takes time and memory that an installation without a collector can spare.
  const { openSpans } = await import('#lib/tracing/open-spans.ts')
  const onChange = (error: unknown) =>
    error === undefined
      ? log.warn({}, 'the collector of SVC_TRACES_URL takes spans again')
      : log.warn({ error }, 'the collector of SVC_TRACES_URL takes no spans: they are dropped until it does')
  const service = config.services.length === 1 ? `svc-${config.services[0]!}` : 'svc'
  const send = stack.use(createOperatorFetch())
  return stack.use(openSpans({ ...config.traces, service, version: readVersion(), send, onChange }))
}

/** Behind a pooler a connection cannot bring its time limit, so it must be a setting of the role. */
async function warnOfNoTimeLimit(db: Db, log: Log): Promise<void> {
  const [row] = await db.query<{ has_none: boolean; role: string }>(sql`
    select current_setting('statement_timeout') = '0' as has_none, quote_ident(current_user) as role`)
  if (!row!.has_none) return
  log.warn(
    {},
    `Statements have no time limit behind the pooler of DATABASE_URL. Run: alter role ${row!.role} set statement_timeout = '10s';`,
  )
}

/** Builds each part once, by the function that builds it. */
function createShared(resources: () => Resources, stack: AsyncDisposableStack): Resources['shared'] {
  const parts = new Map<unknown, unknown>()
  return <T extends AsyncDisposable>(build: (resources: Resources) => T): T => {
    if (!parts.has(build)) parts.set(build, stack.use(build(resources())))
    return parts.get(build) as T
  }
}

async function prepare(db: Db, config: Config, log: Log, engine: EngineThread | undefined): Promise<void> {
  await engine?.opened
  if (config.databaseDirectUrl !== undefined) await warnOfNoTimeLimit(db, log)
  await prepareSchema(db, config, log)
  await checkDataKeys(db, config.secrets.dataKeys, async () => (await import('./sealed-columns.ts')).SEALED_COLUMNS)
}

async function openStore({ redisUrl }: Config, log: Log, clock: Clock): Promise<KeyValueStore> {
  let lastFault: string | undefined
  // Each attempt to connect reports its fault, several a second. The same one is logged once.
  const onError = (error: unknown) => {
    if (String(error) === lastFault) return
    lastFault = String(error)
    log.warn({ error }, 'the key-value store failed')
  }
  const own = openMemoryStore(clock)
  if (!redisUrl) return own
  // Loaded only here, because an installation without Redis can spare the client's time and memory.
  const { openRedis } = await import('#lib/kv/kv-redis.ts')
  const onChange = (error: unknown) => {
    if (error === undefined) {
      lastFault = undefined
      log.warn({}, 'Redis is available again')
      return
    }
    const text = 'Redis does not answer: until it does, each process counts limits separately and agents get 503'
    log.warn({ error }, text)
  }
  return withFallback(openRedis(redisUrl, onError), own, { clock, onChange })
}

function readVersion(): string {
  return (JSON.parse(readFileSync(assets.packageJson(), 'utf8')) as { version: string }).version
}
