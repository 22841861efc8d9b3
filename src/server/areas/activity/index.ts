import type { Route } from '#edge/route/route.ts'
import type { Loop } from '#lib/work/loop.ts'
import { listRoute } from './list.ts'
import type { NamePeople } from './names.ts'
import { createQuota, type QuotaDeps } from './quota.ts'
import { createRecorder, type Recorder, type RecorderDeps } from './record.ts'
import type { SelectExposed } from './record-filter.ts'
import { retentionLoop } from './retention.ts'
import { statisticsRoute } from './statistics.ts'

export { activityEraser } from './erase-store.ts'

/** Records the questions that are asked, and limits how many an organization can ask. */
type Activity = Recorder & {
  /** The routes, with what they need to name people and sources. */
  routes(names: { people: NamePeople; selectExposed: SelectExposed }): readonly Route[]
  readonly loops: readonly Loop[]
  /** Counts one question of the organization. Throws RATE_LIMITED with the time to wait when a limit is reached. */
  spend(orgId: string): Promise<void>
}

export function createActivity(deps: RecorderDeps & QuotaDeps): Activity {
  const quota = createQuota(deps)
  return {
    ...createRecorder(deps),
    routes: (names) => [listRoute({ ...deps, ...names }), statisticsRoute({ ...deps, ...names }), ...quota.routes],
    loops: [retentionLoop(deps)],
    spend: (orgId) => quota.spend(orgId),
  }
}
