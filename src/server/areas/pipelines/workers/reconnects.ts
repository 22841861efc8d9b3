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
  const startedEnd = graceAfter(clock.now())
  let isStartSaved = false
  return {
    /** Call it when a worker has connected. The others come back too, if this process has just started. */
    connected: async (): Promise<void> => {
      if (isStartSaved || clock.now() >= startedEnd) return
      await extendReconnects(db, startedEnd)
      isStartSaved = true
    },
    /** Call it before the end of a stream is recorded. */
    ended: async (): Promise<void> => {
      if (isStopping()) await extendReconnects(db, graceAfter(clock.now()))
    },
  }
}

function graceAfter(time: Date): Date {
  return new Date(time.getTime() + RESTART_GRACE_MS)
}
