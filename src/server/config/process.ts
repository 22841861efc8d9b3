import { addressList } from '#edge/listen/request-info.ts'
import { LOG_LEVELS } from '#lib/log/log-levels.ts'
import type { EnvironmentReader } from './reader.ts'

const HOST = '127.0.0.1'
const PORT = 8080
const DATA_DIR = '.svc'
/** Enough for a load balancer or Kubernetes to notice and to send new requests elsewhere. */
const CLUSTER_DRAIN_SECONDS = 5
const MAX_DRAIN_SECONDS = 3600

/**
 * Reads where the process listens, writes and logs. `isEmbedded`: nobody sends requests elsewhere, and a person reads the
 * log.
 */
export function readProcess(read: EnvironmentReader, isEmbedded: boolean) {
  return {
    host: read.text('HOST') ?? HOST,
    port: read.integer('PORT', PORT, 0, 65_535),
    dataDir: read.text('SVC_DATA_DIR') ?? DATA_DIR,
    /** Addresses or CIDR blocks whose X-Forwarded-For is believed. */
    trustedProxies: readProxies(read),
    logLevel: read.oneOf('SVC_LOG_LEVEL', LOG_LEVELS, isEmbedded ? 'warn' : 'info'),
    /** How long a process that was told to stop answers requests while it says that it is not ready. */
    drainSeconds: read.integer('SVC_DRAIN_SECONDS', isEmbedded ? 0 : CLUSTER_DRAIN_SECONDS, 0, MAX_DRAIN_SECONDS),
    /** Whether the first start on the embedded database makes example data. */
    example: read.flag('SVC_EXAMPLE', true),
  }
}

function readProxies(read: EnvironmentReader): readonly string[] {
  const blocks = read.list('SVC_TRUSTED_PROXIES')
  try {
    addressList(blocks)
  } catch {
    read.fault('SVC_TRUSTED_PROXIES must be addresses or CIDR blocks such as 10.0.0.0/8, comma-separated')
  }
  return blocks
}
