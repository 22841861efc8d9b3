import { ServiceError } from '#contract/core/errors.ts'
import type { ManagedEngine } from '../engine/engine.ts'

/** A Postgres server of managed databases as the operator describes it. */
export type ServerSettings = {
  readonly name: string
  /** Connection string of the role that creates databases there. Undefined: that of the platform's own database. */
  readonly url?: string
  /** `host[:port]` in connection strings for users. Undefined: that of `url`. */
  readonly publicHost?: string
  /** `full` and `draining` servers get no new database. */
  readonly state: 'open' | 'full' | 'draining'
  readonly maxDatabases?: number
  readonly maxBytes?: number
  /** A standby of the server for questions, used while it is at most so far behind. */
  readonly replica?: { readonly url: string; readonly maxLagSeconds: number }
}

export type DatabaseServer = { readonly settings: ServerSettings; readonly engine: ManagedEngine }

export type Servers = {
  readonly all: readonly DatabaseServer[]
  /** Throws UNAVAILABLE for a name that is not in the settings of this process. */
  engineOf(on: { server: string }): ManagedEngine
}

const RETRY_SECONDS = 60

export function createServers(all: readonly DatabaseServer[]): Servers {
  const byName = new Map(all.map(({ settings, engine }) => [settings.name, engine]))
  return {
    all,
    engineOf({ server }) {
      const engine = byName.get(server)
      if (engine) return engine
      throw new ServiceError(
        'UNAVAILABLE',
        `This database is on the Postgres server ${server}, which this process does not know. The operator must name it in SVC_DATABASE_SERVERS.`,
        { retryAfterSeconds: RETRY_SECONDS },
      )
    },
  }
}
