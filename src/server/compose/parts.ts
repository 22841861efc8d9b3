import type { Readiness } from '#contract/system.ts'
import type { PrincipalCache } from '#edge/credentials/caller.ts'
import type { CheckedCallers } from '#edge/fast/checked-callers.ts'
import type { ServiceFetch } from '#edge/route/route.ts'
import type { OpenStreams } from '#edge/stream/open-streams.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import type { HeldLock } from '#lib/db/session-lock.ts'
import type { KeyValueStore } from '#lib/kv/kv.ts'
import type { Log } from '#lib/log/log.ts'
import type { Metrics } from '#lib/metrics/metrics.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { Spans } from '#lib/tracing/spans.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { AppAddress, AppDoor, KeptDoor } from '../areas/apps/index.ts'
import type { Config } from '../config/config.ts'
import type { ServiceName } from '../config/service-table.ts'

/** Everything that a process has one of, whichever services it runs. */
export type Resources = {
  readonly config: Config
  readonly version: string
  readonly db: Db
  readonly kv: KeyValueStore
  /** Keeps processes that do not share one Redis off the database. Absent where a test hands in its own database. */
  readonly installationLock?: HeldLock
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Absent while tracing is switched off. */
  readonly spans?: Spans
  readonly principalCache: PrincipalCache
  readonly checkedCallers: CheckedCallers
  readonly unfinishedSources: UnfinishedSources
  /** For addresses from the configuration, such as identity providers. */
  readonly outgoing: (request: Request) => Promise<Response>
  /** For addresses that users or agents give. */
  readonly safeFetch: SafeFetch
  /** Refuses, without connecting, the addresses that `safeFetch` refuses. */
  readonly checkAddress: (url: string) => Promise<void>
  /**
   * Builds a part that several services of the process use. The first call builds it and later calls return the same
   * one; it is closed after the services.
   */
  readonly shared: <T extends AsyncDisposable>(build: (resources: Resources) => T) => T
}

/** Organization and id of data sources that this process is still creating. A question to one is answered with that instead of 404. */
type UnfinishedSources = Set<`${string} ${string}`>

/** The argument of `compose` of a service. */
export type ServiceParts = Resources & {
  /** The services of this process, by name. */
  readonly running: readonly ServiceName[]
  /** Returns the `fetch` of another service, in this process or over the network. */
  readonly neighbour: (name: ServiceName) => ServiceFetch
  /** The port of apps. Only where api-gateway or worker run. */
  readonly appDoor: AppDoor | KeptDoor | undefined
  /** Returns where the door of the worker in another process is. Undefined: nobody said where the worker is. */
  readonly findWorkerDoor: () => Promise<AppAddress | undefined>
  /** Whether another process of this installation signed the request. */
  readonly isSigned: (request: Request) => boolean
  readonly readiness: () => Promise<Readiness>
  /** The event streams this process sends; a stop ends them. */
  readonly openStreams: OpenStreams
  /** The addresses under which people and agents reach this installation. */
  readonly publicUrls: PublicUrls
}

export type PublicUrls = {
  /** The auth service, as an OAuth issuer. */
  readonly issuer: string
  /** Base address of the MCP endpoints `/platform` and `/notifications`. */
  readonly mcp: string
  /** Address where people sign in and have their session. */
  readonly signIn: string
  /** Returns the address of the app with this host label, or null where apps have none: see SVC_APPS_DOMAIN. */
  readonly ofApp: (hostLabel: string) => string | null
}

/** `Symbol.asyncDispose` is called after the port is closed and the loops and slots have stopped. */
export type Service = Partial<AsyncDisposable> & {
  readonly fetch: ServiceFetch
  /** Returns warnings for the operator, printed at the start. */
  readonly warnings?: () => Promise<readonly string[]>
  /** Returns lines for the operator that are no warnings, printed at the start. */
  readonly notes?: () => Promise<readonly string[]>
  /** Dependencies that only this service has, for the readiness of its process. */
  readonly checks?: Readonly<Record<string, Check>>
  /** Loads what the first requests would otherwise wait for. */
  readonly warm?: () => Promise<void>
}

/** Only the worker has work of its own, so the other services can be scaled without regard to it. */
export type WorkerService = Service & {
  /** Short work that repeats. */
  readonly loops: readonly Loop[]
  /** Long work: jobs that are claimed, run under a lease and drained on stop. */
  readonly slots: readonly JobKind[]
}

/** One dependency. A failing `optional` one is reported as degraded and leaves the process ready. */
export type Check = { ask: () => Promise<unknown>; optional?: boolean }
