import type { Db } from '#lib/db/db.ts'
import type { Wake } from '#lib/work/wake.ts'
import { findHostedApp } from '../deploys/store.ts'

type Deps = {
  readonly db: Db
  /** Rings when the app may have changed. */
  readonly wake: Wake
  readonly appId: string
  /** Aborted when this process must stop. */
  readonly signal: AbortSignal
  readonly onError: (error: unknown, appId: string) => void
}

/** Does long work for an app, with a signal that is also aborted as soon as the app is to be deleted. */
export async function untilDeleted<T>(deps: Deps, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deleted = new AbortController()
  const over = new AbortController()
  const watching = watch(deps, deleted, over.signal)
  try {
    return await work(AbortSignal.any([deps.signal, deleted.signal]))
  } finally {
    over.abort()
    deps.wake.ring()
    await watching
    // The watcher used up rings that may have meant something else.
    deps.wake.ring()
  }
}

async function watch({ db, wake, appId, onError }: Deps, deleted: AbortController, over: AbortSignal): Promise<void> {
  while (!deleted.signal.aborted) {
    await wake.next()
    if (over.aborted) return
    try {
      const app = await findHostedApp(db, appId)
      if (app?.state !== 'active') deleted.abort(new Error('the app is deleted'))
    } catch (error) {
      // The work goes on; what follows it looks at the app again.
      onError(error, appId)
    }
  }
}
