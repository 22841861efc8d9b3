import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Querier, Tx } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { OrgLimits } from '#ports/database-limits.ts'
import type { Pools } from '../engine/pools.ts'
import type { Servers } from './servers.ts'

export type SourceState = { enabled: boolean; exposed: boolean }

/** The functions of data sources that this area calls. Compose hands them in. */
type SourcePort = {
  statesOf(db: Querier, orgId: string, names: readonly string[]): Promise<ReadonlyMap<string, SourceState>>
  /** Removes the source of a database that is dropped. Returns false, and removes nothing, while it is exposed. */
  forgetUnlessExposed(tx: Tx, orgId: string, name: string): Promise<boolean>
}

export type DatabaseDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly sealer: Sealer
  readonly servers: Servers
  readonly pools: Pools
  readonly sources: SourcePort
  /** By default `DEFAULT_ORG_LIMITS`. */
  readonly orgLimits?: OrgLimits
}
