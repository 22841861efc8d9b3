import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { findByLabel } from '../model/store.ts'
import type { Absence } from './absent-apps.ts'
import { createAppRestarts } from './app-restarts.ts'
import type { AppTraffic } from './traffic.ts'

type Deps = { readonly db: Querier; readonly clock: Clock; readonly traffic: Pick<AppTraffic, 'hosted'> }

/**
 * Finds why no app answers at a host label. An app that does not come back within the grace of a restart is not starting, so
 * that nobody is told to wait for one that cannot run.
 */
export function createWhyAbsent(deps: Deps): (label: string) => Promise<Absence> {
  const restarts = createAppRestarts(deps)
  return async (label) => {
    const app = await findByLabel(deps.db, label)
    if (!app) return 'unknown'
    if (app.is_starting) return 'starting'
    const restart = (await restarts([app.id])).get(app.id)
    return restart?.isServed === false ? 'starting' : 'not_running'
  }
}
