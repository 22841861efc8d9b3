import { backupState } from '#contract/backups.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { Schedule } from '#lib/time/cron.ts'
import { overdueSince } from './overdue.ts'
import { readState } from './store.ts'

type Deps = { readonly db: Querier; readonly clock: Clock; readonly schedule: Schedule | undefined }

export function backupStateRoute({ db, clock, schedule }: Deps): Route {
  return route(backupState, async () => {
    if (!schedule) return { scheduled: false, good_at: null, overdue_since: null }
    const state = await readState(db)
    const overdue = overdueSince(state, schedule, clock.now())
    return {
      scheduled: true,
      good_at: state.good_at?.toISOString() ?? null,
      overdue_since: overdue?.toISOString() ?? null,
    }
  })
}
