import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppDeploys, DiffAppRevisions, DiffAppTexts, ListWentLive } from '#ports/app-changes.ts'
import type {
  AppDirectory,
  AppLogs,
  AppSource,
  HoldApp,
  ListCheckRuns,
  ListCheckStates,
  RedactorOf,
} from '#ports/apps.ts'
import type { People } from '#ports/people.ts'

/** Dependencies of the routes. */
export type MaintenanceDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly apps: Pick<AppDirectory, 'find' | 'names'> & { readonly hold: HoldApp }
  readonly models: UsableModels
  readonly people: Pick<People, 'ownersAndAdmins'>
  readonly deploys: AppDeploys
  readonly diff: DiffAppRevisions
  readonly diffTexts: DiffAppTexts
  readonly source: AppSource
  readonly logs: Pick<AppLogs, 'read'>
  readonly redactorOf: RedactorOf
  readonly listChecks: ListCheckStates
  readonly listCheckRuns: ListCheckRuns
  readonly listWentLive: ListWentLive
}

/** The chat models that can use tools, as far as this process knows them. */
export type UsableModels = {
  has(name: string): boolean
  /** Names for a message, also such as `provider/…` where a provider takes every name. */
  readonly names: readonly string[]
}
