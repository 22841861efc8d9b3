import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import type { AppDirectory, HoldApp } from '#ports/apps.ts'

export type MaintenanceDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly apps: Pick<AppDirectory, 'find'> & { readonly hold: HoldApp }
  readonly models: UsableModels
}

/** The chat models that can use tools, as far as this process knows them. */
export type UsableModels = {
  has(name: string): boolean
  /** Names for a message, also such as `provider/…` where a provider takes every name. */
  readonly names: readonly string[]
}
