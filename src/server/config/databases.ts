import { DEFAULT_ORG_LIMITS, MIN_OWNER_CONNECTIONS, type OrgLimits } from '#ports/database-limits.ts'
import { isHost, readDatabaseServers } from './database-servers.ts'
import type { EnvironmentReader } from './reader.ts'

const DEFAULT_CONNECTIONS = 150
const DEFAULT_MAX_DATABASES = 5
const DEFAULT_MEMORY_MB = 1024
const DEFAULT_IDLE_SECONDS = 300

export function readDatabases(read: EnvironmentReader, databaseUrl: string | undefined) {
  /** `host[:port]` in the connection strings of managed databases. Undefined: the host of DATABASE_URL. */
  const publicHost = read.text('SVC_DATABASES_PUBLIC_HOST')
  if (publicHost !== undefined && !isHost(publicHost)) {
    read.fault('SVC_DATABASES_PUBLIC_HOST must be a host, or host:port')
  }
  return Object.freeze({
    publicHost,
    /** The Postgres servers of managed databases; that of DATABASE_URL is the first. */
    servers: Object.freeze(readDatabaseServers(read, databaseUrl)),
    /** Connections that this process may have to managed databases on a server, all of them together. */
    maxConnections: read.integer('SVC_MANAGED_CONNECTIONS', DEFAULT_CONNECTIONS, 3, 10_000),
    /** Limits of one organization, and the connections that the platform keeps on each server. */
    orgLimits: readOrgLimits(read),
    /** Most managed databases that the embedded engine holds. */
    embeddedMax: read.integer('SVC_EMBEDDED_MAX_DATABASES', DEFAULT_MAX_DATABASES, 1, 50),
    /** Memory one embedded managed database may use. */
    embeddedMemoryBytes: read.integer('SVC_EMBEDDED_MEMORY_MB', DEFAULT_MEMORY_MB, 256, 65_536) * 1024 * 1024,
    /** Time after which an unused embedded managed database is stopped. */
    embeddedIdleMs: read.integer('SVC_EMBEDDED_IDLE_SECONDS', DEFAULT_IDLE_SECONDS, 1, 86_400) * 1000,
  })
}

function readOrgLimits(read: EnvironmentReader): OrgLimits {
  const defaults = DEFAULT_ORG_LIMITS
  const databases = read.integer('SVC_DATABASES_PER_ORG', defaults.databases, 1, 5_000)
  const connections = read.integer(
    'SVC_DATABASE_CONNECTIONS_PER_ORG',
    defaults.connections,
    MIN_OWNER_CONNECTIONS,
    10_000,
  )
  const reservedConnections = read.integer('SVC_DATABASE_RESERVED_CONNECTIONS', defaults.reservedConnections, 0, 10_000)
  if (connections < databases * MIN_OWNER_CONNECTIONS) {
    read.fault(
      `SVC_DATABASE_CONNECTIONS_PER_ORG must be at least ${databases * MIN_OWNER_CONNECTIONS}: ${MIN_OWNER_CONNECTIONS} for each of the ` +
        `${databases} databases that SVC_DATABASES_PER_ORG allows`,
    )
  }
  return Object.freeze({ databases, connections, reservedConnections })
}
