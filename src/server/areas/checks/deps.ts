import type { HasPart } from '#edge/credentials/access.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import type { AppDirectory, HoldApp } from '#ports/apps.ts'

/** What the routes of the area need. */
export type CheckDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly apps: AppDirectory & { readonly hold: HoldApp; readonly hasPart: HasPart }
  /** Whether checks can use a chat model of this name. */
  readonly hasModel: (name: string) => boolean
}
