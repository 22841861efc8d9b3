import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppDirectory } from '#ports/apps.ts'

export type PipelineDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly sealer: Sealer
  readonly apps: Pick<AppDirectory, 'find' | 'names'>
  /** The directory of apps as a transaction sees it. */
  readonly appsIn: (db: Querier) => Pick<AppDirectory, 'names'>
  /** Whether this process ends its streams because it stops. */
  readonly isStopping: () => boolean
  readonly onError: (error: unknown) => void
}
