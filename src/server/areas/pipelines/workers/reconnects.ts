import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { RESTART_GRACE_MS } from '#ports/restart-grace.ts'
import { extendReconnects } from '../calls/reconnect-store.ts'

type Deps = {
  readonly db: Pick<Db, 'query'>
  readonly clock: Clock
  /** Whether this process ends its streams because it stops. */
  readonly isStopping: () => boolean
}

/**
 * Records for all processes when this one starts or stops to hold streams of workers, so that none takes a worker for
 * lost that only has to connect again.
 */
export function createReconnects({ db, clock, isStopping }: Deps) {
  const startedAt = clock.now()
  let isStartSaved = false
  return {
    /** Call it when a worker has connected. The others come back too, if this process has just started. */
    connected: async (): Promise<void> => {
      const leftMs = startedAt.getTime() + RESTART_GRACE_MS - clock.now().getTime()
      if (isStartSaved || leftMs <= 0) return
      await extendReconnects(db, leftMs)
      isStartSaved = true
    },
    /** Call it before the end of a stream is recorded. */
    ended: async (): Promise<void> => {
      if (isStopping()) await extendReconnects(db)
    },
  }
}
