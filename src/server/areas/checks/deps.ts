import type { HasPart } from '#edge/credentials/access.ts'
import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppDirectory, HoldApp } from '#ports/apps.ts'

/** Dependencies of the routes of the area. */
export type CheckDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly apps: AppDirectory & { readonly hold: HoldApp; readonly hasPart: HasPart }
  /** Whether checks can use a chat model of this name. */
  readonly hasModel: (name: string) => boolean
}
