import type { AppDirectory, HoldApp } from '#edge/apps.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'

export type MaintenanceDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly apps: Pick<AppDirectory, 'find'> & { readonly hold: HoldApp }
  /** Names of the chat models that can use tools. */
  readonly listModels: () => readonly string[]
}
