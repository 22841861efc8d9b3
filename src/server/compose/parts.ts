import type { Readiness } from '#contract/system.ts'
import type { PrincipalCache } from '#edge/credentials/caller.ts'
import type { ServiceFetch } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import type { KeyValueStore } from '#lib/kv.ts'
import type { Log } from '#lib/log.ts'
import type { Metrics } from '#lib/metrics.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { Config } from '../config/config.ts'
import type { ServiceName } from '../process/service-table.ts'

/** What a process holds once, whichever services it runs. */
export type Resources = {
  readonly config: Config
  readonly version: string
  readonly db: Db
  readonly kv: KeyValueStore
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly principalCache: PrincipalCache
  /** To addresses the configuration names, such as identity providers. */
  readonly outgoing: (request: Request) => Promise<Response>
  /** To addresses that others give us. */
  readonly safeFetch: SafeFetch
  /**
   * Builds a part that several services of the process use. The first call builds it and later calls return the same
   * one; it is closed after the services.
   */
  readonly shared: <T extends AsyncDisposable>(build: (resources: Resources) => T) => T
}

/** What the builder of one service is given. */
export type ServiceParts = Resources & {
  /** The services of this process, by name. */
  readonly running: readonly ServiceName[]
  /** A neighbour's `fetch`: in this process, or over the network. */
  readonly neighbour: (name: ServiceName) => ServiceFetch
  readonly readiness: () => Promise<Readiness>
  /** What agents see of us; known once the port is open. */
  readonly publicUrls: () => PublicUrls
}

export type PublicUrls = {
  /** The auth service, as an OAuth issuer. */
  readonly issuer: string
  /** `/platform` and `/notifications` stand under it. */
  readonly mcp: string
  /** Where people's sessions are: the address they see. */
  readonly signIn: string
}

/** `Symbol.asyncDispose` is called after the port is closed and the loops and slots have stopped. */
export type Service = Partial<AsyncDisposable> & {
  readonly fetch: ServiceFetch
  /** Warnings for the operator, printed at the start. */
  readonly warnings?: () => Promise<readonly string[]>
}

/** Only the worker has work of its own, so the other services can be scaled without regard to it. */
export type WorkerService = Service & {
  /** Short work that repeats. */
  readonly loops: readonly Loop[]
  /** Long work: jobs that are claimed, run under a lease and drained on stop. */
  readonly slots: readonly JobKind[]
}
