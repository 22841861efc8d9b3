import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'

export type RevisionDeps = {
  readonly db: Db
  readonly clock: Clock
  /** Bytes of files and manifests that an organization may have stored. */
  readonly maxStoreBytes: number
}
