export type DatabaseSettings = {
  /** `host[:port]` that connection strings show; undefined: that of DATABASE_URL. */
  publicHost: string | undefined
  /** How many managed databases the embedded engine holds. */
  embeddedMax: number
  /** Memory one embedded managed database may use. */
  embeddedMemoryBytes: number
  /** An embedded managed database that nobody uses is stopped after this time. */
  embeddedIdleMs: number
}

type Read = {
  text(name: string): string | undefined
  integer(name: string, fallback: number, min: number, max: number): number
  fault(text: string): void
}

export const DATABASE_VARIABLES = [
  'SVC_DATABASES_PUBLIC_HOST',
  'SVC_EMBEDDED_MAX_DATABASES',
  'SVC_EMBEDDED_MEMORY_MB',
  'SVC_EMBEDDED_IDLE_SECONDS',
] as const

const EMBEDDED_MAX = 5
const EMBEDDED_MEMORY_MB = 1024
const EMBEDDED_IDLE_SECONDS = 300

export function readDatabases(read: Read): DatabaseSettings {
  const publicHost = read.text('SVC_DATABASES_PUBLIC_HOST')
  if (publicHost !== undefined && !isHost(publicHost)) {
    read.fault('SVC_DATABASES_PUBLIC_HOST must be a host, or host:port')
  }
  return Object.freeze({
    publicHost,
    embeddedMax: read.integer('SVC_EMBEDDED_MAX_DATABASES', EMBEDDED_MAX, 1, 50),
    embeddedMemoryBytes: read.integer('SVC_EMBEDDED_MEMORY_MB', EMBEDDED_MEMORY_MB, 256, 65_536) * 1024 * 1024,
    embeddedIdleMs: read.integer('SVC_EMBEDDED_IDLE_SECONDS', EMBEDDED_IDLE_SECONDS, 1, 86_400) * 1000,
  })
}

function isHost(text: string): boolean {
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text) && URL.canParse(`postgres://${text}`)
}
