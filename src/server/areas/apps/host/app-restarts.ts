import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { AppProbe, AppRestart } from '#ports/apps.ts'
import { RESTART_GRACE_MS } from '#ports/restart-grace.ts'
import { listLiveApps } from './store.ts'
import type { AppTraffic } from './traffic.ts'

type Deps = { readonly db: Querier; readonly clock: Clock; readonly traffic: Pick<AppTraffic, 'hosted'> }
type Absence = { readonly since: number; lookedAt: number }

/** An app that nobody asked for this long may have been hosted in between. */
const FORGOTTEN_AFTER_MS = 60_000

/**
 * Finds live apps that svc starts again. The time counts from when this process began to host the app. An app that no
 * process hosts was left by one that stopped or died; its time counts from when it was first looked for here, and
 * whichever process takes it over starts it.
 */
export function createAppRestarts({ db, clock, traffic }: Deps): AppProbe['restarts'] {
  const absences = new Map<string, Absence>()
  const absentSince = (id: string, now: number): number => {
    const before = absences.get(id)
    const since = before && now - before.lookedAt < FORGOTTEN_AFTER_MS ? before.since : now
    absences.set(id, { since, lookedAt: now })
    return since
  }
  return async (appIds) => {
    const restarts = new Map<string, AppRestart>()
    const now = clock.now().getTime()
    for (const [id, { lookedAt }] of absences) if (now - lookedAt >= FORGOTTEN_AFTER_MS) absences.delete(id)
    for (const { id, host_label } of await listLiveApps(db, appIds)) {
      const hosted = traffic.hosted(host_label)
      if (hosted) absences.delete(id)
      const since = hosted ? hosted.takenOverAt?.getTime() : absentSince(id, now)
      if (since !== undefined && now < since + RESTART_GRACE_MS)
        restarts.set(id, { isServed: hosted?.isServed ?? false })
    }
    return restarts
  }
}
