import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { People } from '#ports/people.ts'

export type AppDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly sealer: Sealer
  readonly people: Pick<People, 'member' | 'displayNames' | 'organization'>
  /** Returns the address of the app with this host label, or null where apps have none. */
  readonly urlOf: (hostLabel: string) => string | null
  /** Undefined where apps run. Otherwise a sentence that says why they do not and what to do. */
  readonly deploysOff: string | undefined
  readonly logRetentionDays: number
  readonly logBytesPerApp: number
}
