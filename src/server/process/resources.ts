import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrincipalCache } from '#edge/credentials/caller.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { checkDataKeys } from '#lib/crypto/data-keys.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { openEmbedded } from '#lib/db/embedded.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { type KeyValueStore, openMemoryStore, openRedis } from '#lib/kv.ts'
import { withFallback } from '#lib/kv-fallback.ts'
import { createLog, type Log } from '#lib/log.ts'
import { createMetrics } from '#lib/metrics.ts'
import { createKeptConnections } from '#lib/net/kept-connections.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { createAddressCheck, createSafeFetch } from '#lib/net/safe-fetch.ts'
import type { Resources } from '../compose/parts.ts'
import type { Config } from '../config/config.ts'
import { assets } from './assets.ts'
import { prepareSchema } from './schema.ts'

type Overrides = { clock?: Clock; log?: Log; db?: Db; kv?: KeyValueStore } & Partial<
  Pick<Resources, 'outgoing' | 'safeFetch' | 'checkAddress' | 'shared'>
>

/** Opens the database, the key-value store and everything else a process has one of. `stack` closes them again. */
export async function openResources(
  config: Config,
  stack: AsyncDisposableStack,
  over: Overrides = {},
): Promise<Resources> {
  const clock = over.clock ?? systemClock
  const log = over.log ?? createLog(config.logLevel)
  const db = over.db ?? stack.use(await openDatabase(config, log))
  if (!over.db) await prepare(db, config, log)
  const kv = over.kv ?? stack.use(openStore(config, log, clock))
  const resources: Resources = {
    config,
    clock,
    log,
    db,
    kv,
    version: readVersion(),
    sealer: createSealer(config.secrets.dataKeys),
    metrics: createMetrics({ processMetrics: !over.log }),
    principalCache: createPrincipalCache(clock),
    unfinishedSources: new Set(),
    outgoing: over.outgoing ?? stack.use(createOperatorFetch()),
    safeFetch: over.safeFetch ?? createSafeFetch({ kept: stack.use(createKeptConnections()) }),
    checkAddress: over.checkAddress ?? createAddressCheck(),
    shared: over.shared ?? createShared(() => resources, stack),
  }
  return resources
}

/** Builds each part once, by the function that builds it. */
function createShared(resources: () => Resources, stack: AsyncDisposableStack): Resources['shared'] {
  const parts = new Map<unknown, unknown>()
  return <T extends AsyncDisposable>(build: (resources: Resources) => T): T => {
    if (!parts.has(build)) parts.set(build, stack.use(build(resources())))
    return parts.get(build) as T
  }
}

async function prepare(db: Db, config: Config, log: Log): Promise<void> {
  await prepareSchema(db, config, log)
  await checkDataKeys(db, config.secrets.dataKeys, async () => (await import('./sealed-columns.ts')).SEALED_COLUMNS)
}

export async function openDatabase(
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Log,
): Promise<Db> {
  const onError = (error: unknown) => log.warn({ error }, 'the database connection failed')
  if (databaseUrl) return openPostgres({ url: databaseUrl, onError })
  return openEmbedded({ folder: join(dataDir, 'db'), onError })
}

function openStore({ redisUrl }: Config, log: Log, clock: Clock): KeyValueStore {
  const onError = (error: unknown) => log.warn({ error }, 'the key-value store failed')
  const own = openMemoryStore(clock)
  if (!redisUrl) return own
  const onChange = (error: unknown) =>
    error === undefined
      ? log.warn({}, 'Redis is available again')
      : log.warn(
          { error },
          'Redis does not answer: until it does, each process counts limits separately and agents get 503',
        )
  return withFallback(openRedis(redisUrl, onError), own, { clock, onChange })
}

function readVersion(): string {
  return (JSON.parse(readFileSync(assets.packageJson(), 'utf8')) as { version: string }).version
}
