import type { EnvironmentReader } from './reader.ts'

const DOMAIN = /^(?=.{1,180}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/
const MIB = 1024 * 1024
const DEFAULT_MEMORY_MB = 512
const DEFAULT_BUILD_MEMORY_MB = 2048
const MAX_MEMORY_MB = 65_536
const MAX_TOTAL_MEMORY_MB = 4_194_304

/**
 * An installation with a database server usually has several tenants, and apps would run on the machine of the server.
 * So the operator must allow that. On the embedded default it is allowed unless switched off. `hasPods`: apps run as pods
 * of a cluster instead.
 */
export function readApps(read: EnvironmentReader, isEmbedded: boolean, hasPods = false) {
  /** The domain whose subdomains are the addresses of apps. Undefined: apps answer at `*.localhost`. */
  const domain = read.text('SVC_APPS_DOMAIN')?.toLowerCase()
  if (domain !== undefined && !DOMAIN.test(domain)) {
    read.fault('SVC_APPS_DOMAIN must be a domain such as apps.example.com, without https:// and port')
  }
  refuseOwnHost(read, domain)
  const memoryMb = read.integer('SVC_APP_MEMORY_MB', DEFAULT_MEMORY_MB, 128, MAX_MEMORY_MB)
  const buildMemoryMb = read.integer('SVC_BUILD_MEMORY_MB', DEFAULT_BUILD_MEMORY_MB, 128, MAX_MEMORY_MB)
  const processesOff = read.flag('SVC_ALLOW_PROCESS_DEPLOYS', isEmbedded) ? undefined : DEPLOYS_OFF
  return Object.freeze({
    domain,
    /** The port at which apps answer. Undefined: the one after the port of the process, or another if that is in use. */
    port: read.text('SVC_APPS_PORT') === undefined ? undefined : read.integer('SVC_APPS_PORT', 0, 0, 65_535),
    /** The message for people if this installation runs no apps. Undefined: it does. */
    deploysOff: hasPods ? undefined : processesOff,
    /** As `deploysOff`, for apps and builds that run as processes of this machine. */
    processesOff,
    /** Whether apps of users run where there is no sandbox. */
    allowsUnsandboxed: read.flag('SVC_ALLOW_UNSANDBOXED_APPS', false),
    /** Memory one instance of an app may use, its files in /tmp included. */
    memoryBytes: memoryMb * MIB,
    /** Memory one build may use. */
    buildMemoryBytes: buildMemoryMb * MIB,
    /** Limits of all apps and builds of one organization together on the machine of the server. */
    organization: readTotals(read, memoryMb, buildMemoryMb),
    /** The log of an app keeps lines for this many days, and this many bytes of them. */
    logRetentionDays: read.integer('SVC_LOG_RETENTION_DAYS', 14, 1, 3_650),
    logBytesPerApp: read.integer('SVC_LOG_MB_PER_APP', 256, 1, 1_048_576) * MIB,
    /** Runs of checks stay in their history for this many days. */
    checkRetentionDays: read.integer('SVC_CHECK_RETENTION_DAYS', 30, 1, 3_650),
  })
}

/** By default one build and four copies of apps can use all that each of them may. */
function readTotals(read: EnvironmentReader, memoryMb: number, buildMemoryMb: number) {
  const [appsAtOnce, largest] = [4, Math.max(memoryMb, buildMemoryMb)]
  const defaultMb = buildMemoryMb + appsAtOnce * memoryMb
  const totalMb = read.integer('SVC_APPS_MEMORY_PER_ORG_MB', defaultMb, 128, MAX_TOTAL_MEMORY_MB)
  if (totalMb < largest) {
    read.fault(
      `SVC_APPS_MEMORY_PER_ORG_MB must be at least ${largest}: what one app (SVC_APP_MEMORY_MB) and one build ` +
        '(SVC_BUILD_MEMORY_MB) may use',
    )
  }
  return {
    memoryBytes: totalMb * MIB,
    processes: read.integer('SVC_APPS_PROCESSES_PER_ORG', 4_096, 256, 4_194_304),
    diskBytes: read.integer('SVC_APPS_DISK_PER_ORG_MB', 20_480, 1_024, 104_857_600) * MIB,
  }
}

const DEPLOYS_OFF =
  'This installation runs no apps. Its operator can allow apps to run on the machine of the server with ' +
  'SVC_ALLOW_PROCESS_DEPLOYS=true, or in a cluster with SVC_DEPLOY_TARGET=kubernetes.'

/** An app must never be able to answer at the address of the console, whose cookies it could read. */
function refuseOwnHost(read: EnvironmentReader, domain: string | undefined): void {
  const own = URL.parse(read.text('SVC_REDIRECT_BASE_URL') ?? '')?.hostname
  if (domain === undefined || own === undefined) return
  if (own === domain || own.endsWith(`.${domain}`)) {
    read.fault('SVC_APPS_DOMAIN must not contain the host of SVC_REDIRECT_BASE_URL: apps need a domain of their own')
  }
}
