import type { Db } from '#lib/db/db.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import type { Log } from '#lib/log/log.ts'
import { PLATFORM_SERVER } from '#ports/platform-server.ts'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import type { ManagedEngine } from '../engine/engine.ts'
import { createEndBackend } from '../engine/postgres/end-backend.ts'
import { addressOf, createPostgresEngine } from '../engine/postgres/engine.ts'
import { failFast } from '../engine/postgres/fail-fast.ts'
import { createReplica } from '../engine/postgres/replica.ts'
import { findByPhysicalName } from '../model/store.ts'
import { createServers, type ServerSettings, type Servers } from './servers.ts'

export type ServerOptions = {
  db: Db
  log: Log
  databaseUrl: string | undefined
  /** The platform's own server first. Without it that server is the only one. */
  servers?: readonly ServerSettings[]
  dataDir: string
  publicHost: string | undefined
  embeddedMax: number
  embeddedMemoryBytes?: number
  embeddedIdleMs?: number
}

/** Connections of one process to create, drop and look after databases on a server. Questions have their own. */
const MAX_ADMIN_CONNECTIONS = 3

/** The database of that address may be one that others can create objects in. */
const ADMIN_OPTIONS = '-c search_path=pg_catalog,pg_temp'

/** A standby that does not say in this time how far it is behind counts as away. */
const REPLICA_LIMITS = { connectTimeoutMs: 2_000, statementTimeoutMs: 2_000 }

/** Opens the engines of all servers. None is connected to before it is used, so a server that is away stops no start. */
export function openServers(options: ServerOptions, onError: OnError): Servers {
  const { log, servers = [{ name: PLATFORM_SERVER, state: 'open' }] } = options
  const warn = onlyOnce((text) => log.warn({}, text))
  const open = (settings: ServerSettings) => {
    const { url } = settings
    const engine =
      url === undefined ? platformEngine(options, warn, onError) : remoteEngine(settings, url, warn, onError)
    return { settings, engine: withReplica(engine, settings, warn, onError) }
  }
  return createServers(servers.map(open))
}

type Warn = (text: string) => void
type OnError = (error: unknown) => void

function platformEngine(options: ServerOptions, warn: Warn, onError: OnError): ManagedEngine {
  const { db, databaseUrl, publicHost, dataDir, embeddedMax, embeddedMemoryBytes, embeddedIdleMs } = options
  if (databaseUrl !== undefined) return createPostgresEngine({ db, databaseUrl, publicHost, warn })
  const find = (physicalName: string) => findByPhysicalName(db, physicalName)
  const limits = {
    limit: embeddedMax,
    ...(embeddedMemoryBytes && { memoryBytes: embeddedMemoryBytes }),
    ...(embeddedIdleMs && { idleMs: embeddedIdleMs }),
  }
  return createEmbeddedEngine({ dataDir, ...limits, find, onError })
}

function remoteEngine({ name, publicHost }: ServerSettings, url: string, warn: Warn, onError: OnError): ManagedEngine {
  const db = failFast(openPostgres({ url, maxConnections: MAX_ADMIN_CONNECTIONS, options: ADMIN_OPTIONS, onError }))
  const setting = `SVC_DATABASE_SERVERS (${name})`
  const engine = createPostgresEngine({ db, databaseUrl: url, publicHost, setting, warn })
  return { ...engine, close: () => db[Symbol.asyncDispose]() }
}

/** Adds the standby that the settings name. It is connected to only when questions come. */
function withReplica(
  engine: ManagedEngine,
  { replica: settings }: ServerSettings,
  warn: Warn,
  onError: OnError,
): ManagedEngine {
  if (!settings || !engine.admin) return engine
  const { url, maxLagSeconds } = settings
  const standby = failFast(openPostgres({ url, maxConnections: 1, options: ADMIN_OPTIONS, ...REPLICA_LIMITS, onError }))
  const replica = createReplica({ primary: engine.admin.db, standby, address: addressOf(url), maxLagSeconds })
  return {
    ...engine,
    replica: { ...replica, endBackend: createEndBackend(standby, warn) },
    close: async () => {
      await engine.close()
      await standby[Symbol.asyncDispose]()
    },
  }
}

function onlyOnce(log: Warn): Warn {
  const logged = new Set<string>()
  return (text) => {
    if (!logged.has(text)) log(text)
    logged.add(text)
  }
}
