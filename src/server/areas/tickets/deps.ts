import type { HasPart } from '#edge/credentials/access.ts'
import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppDirectory, HoldApp } from '#ports/apps.ts'
import type { People } from '#ports/people.ts'

export type TicketDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly apps: Pick<AppDirectory, 'find'> & { readonly hold: HoldApp; readonly hasPart: HasPart }
  readonly people: Pick<People, 'displayNames'>
}
