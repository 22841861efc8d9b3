import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import type { AppLogs, AppSource, ListCheckRuns, ListCheckStates } from '#ports/apps.ts'

export type ToolDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly logs: Pick<AppLogs, 'read'>
  readonly source: AppSource
  readonly listChecks: ListCheckStates
  readonly listCheckRuns: ListCheckRuns
}
