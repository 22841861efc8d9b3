import { z } from 'zod'
import { PLATFORM_SERVER } from '#ports/platform-server.ts'
import type { ServerSettings } from '../areas/databases/index.ts'
import type { EnvironmentReader } from './reader.ts'

const NAME = 'SVC_DATABASE_SERVERS'
const KEYS =
  '{"name", "url", "public_host", "state", "max_databases", "max_gb", "replica_url", "replica_max_lag_seconds"}'
const DEFAULT_LAG_SECONDS = 10
const BYTES_PER_GB = 1024 ** 3

const Limit = z.int('must be a whole number').min(1, 'must be at least 1').max(1_000_000, 'must be at most 1000000')
const Url = z.url({
  protocol: /^postgres(?:ql)?$/,
  error: 'must be an address beginning with postgres:// or postgresql://',
})
const Server = z.strictObject({
  name: z
    .string('must be a text')
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be at most 32 lower-case letters, digits and dashes'),
  url: Url.optional(),
  public_host: z.string('must be a text').refine(isHost, 'must be a host, or host:port').optional(),
  state: z.enum(['open', 'full', 'draining'], 'must be open, full or draining').default('open'),
  max_databases: Limit.optional(),
  max_gb: Limit.optional(),
  replica_url: Url.optional(),
  replica_max_lag_seconds: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(3600, 'must be at most 3600')
    .optional(),
})

/** Reads the Postgres servers of managed databases. The server of DATABASE_URL is one of them and comes first. */
export function readDatabaseServers(read: EnvironmentReader, databaseUrl: string | undefined): ServerSettings[] {
  const listed = read
    .jsonList(NAME, Server, KEYS)
    .flatMap((server, i) => (server ? [toServer(read, server, i + 1)] : []))
  const names = listed.map(({ name }) => name)
  if (new Set(names).size < names.length) read.fault(`${NAME} names a server twice`)
  if (listed.length > 0 && databaseUrl === undefined) {
    read.fault(`${NAME} requires DATABASE_URL: the embedded database keeps managed databases itself`)
  }
  const isListed = names.includes(PLATFORM_SERVER)
  return isListed ? listed.toSorted(platformFirst) : [{ name: PLATFORM_SERVER, state: 'open' }, ...listed]
}

function platformFirst(a: ServerSettings, b: ServerSettings): number {
  return Number(b.name === PLATFORM_SERVER) - Number(a.name === PLATFORM_SERVER)
}

function toServer(read: EnvironmentReader, data: z.output<typeof Server>, place: number): ServerSettings {
  const { name, url, public_host, state, max_databases, max_gb, replica_url, replica_max_lag_seconds } = data
  if (name === PLATFORM_SERVER && (url !== undefined || public_host !== undefined)) {
    read.fault(
      `${NAME} entry ${place} must have no url and no public_host: ${PLATFORM_SERVER} is the server of DATABASE_URL, and SVC_DATABASES_PUBLIC_HOST is its public host`,
    )
  }
  if (name !== PLATFORM_SERVER && url === undefined) read.fault(`${NAME} entry ${place}.url required`)
  if (replica_max_lag_seconds !== undefined && replica_url === undefined) {
    read.fault(`${NAME} entry ${place}.replica_max_lag_seconds requires replica_url`)
  }
  return Object.freeze({
    name,
    state,
    ...(url !== undefined && { url }),
    ...(public_host !== undefined && { publicHost: public_host }),
    ...(max_databases !== undefined && { maxDatabases: max_databases }),
    ...(max_gb !== undefined && { maxBytes: max_gb * BYTES_PER_GB }),
    ...(replica_url !== undefined && {
      replica: { url: replica_url, maxLagSeconds: replica_max_lag_seconds ?? DEFAULT_LAG_SECONDS },
    }),
  })
}

export function isHost(text: string): boolean {
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text) && URL.canParse(`postgres://${text}`)
}
