import type { EnvironmentReader } from './reader.ts'

export type DatabaseSettings = {
  /** `host[:port]` in the connection strings of managed databases. Undefined: the host of DATABASE_URL. */
  publicHost: string | undefined
  /** Most managed databases that the embedded engine holds. */
  embeddedMax: number
  /** Memory one embedded managed database may use. */
  embeddedMemoryBytes: number
  /** Time after which an unused embedded managed database is stopped. */
  embeddedIdleMs: number
}

const DEFAULT_MAX_DATABASES = 5
const DEFAULT_MEMORY_MB = 1024
const DEFAULT_IDLE_SECONDS = 300

export function readDatabases(read: EnvironmentReader): DatabaseSettings {
  const publicHost = read.text('SVC_DATABASES_PUBLIC_HOST')
  if (publicHost !== undefined && !isHost(publicHost)) {
    read.fault('SVC_DATABASES_PUBLIC_HOST must be a host, or host:port')
  }
  return Object.freeze({
    publicHost,
    embeddedMax: read.integer('SVC_EMBEDDED_MAX_DATABASES', DEFAULT_MAX_DATABASES, 1, 50),
    embeddedMemoryBytes: read.integer('SVC_EMBEDDED_MEMORY_MB', DEFAULT_MEMORY_MB, 256, 65_536) * 1024 * 1024,
    embeddedIdleMs: read.integer('SVC_EMBEDDED_IDLE_SECONDS', DEFAULT_IDLE_SECONDS, 1, 86_400) * 1000,
  })
}

function isHost(text: string): boolean {
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text) && URL.canParse(`postgres://${text}`)
}
