import type { AppDirectory, HoldApp } from '#edge/apps.ts'
import type { HasPart } from '#edge/credentials/access.ts'
import type { People } from '#edge/people.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'

export type TicketDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly apps: Pick<AppDirectory, 'find'> & { readonly hold: HoldApp; readonly hasPart: HasPart }
  readonly people: Pick<People, 'displayNames'>
}
