import type { Db } from '#lib/db/db.ts'
import type { TargetKeeper } from '../deploys/target.ts'
import { holdApp, releaseHold } from './store.ts'

/** Longer than a keeper lets apps run without a server, and than a server takes to notice that it lost its lease. */
const HOLD_SECONDS = 150
const RENEW_MS = 10_000
const AGAIN_MS = 2_000

type Deps = {
  readonly db: Pick<Db, 'query' | 'engine'>
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
  readonly onError: (error: unknown) => void
}

/**
 * Waits until no other machine can run the app any more, and keeps others from hosting it while it may run here: the
 * lease of a server ends with the server, its apps go on. An embedded database has no other machine.
 */
export async function holdHere(
  { db, delay, onError }: Deps,
  appId: string,
  keeper: TargetKeeper | undefined,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  if (!keeper || db.engine === 'embedded') return { [Symbol.asyncDispose]: async () => {} }
  const hold = { appId, keeperId: keeper.id, seconds: HOLD_SECONDS }
  while (!(await holdApp(db, hold))) {
    // Nothing is started then, because the signal ends the work on the app too.
    if (signal.aborted) return { [Symbol.asyncDispose]: async () => {} }
    await delay(AGAIN_MS, signal)
  }
  const renew = () => {
    // Taken again if another host of this keeper gave it back. If another keeper has it, this one ends the app in time.
    holdApp(db, hold).then((isHeld) => isHeld && keeper.held(appId), onError)
  }
  keeper.held(appId)
  const timer = setInterval(renew, RENEW_MS)
  timer.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      // Where apps go on, nobody else may host them until the hold has run out.
      if (!keeper.leavesApps()) await releaseHold(db, hold).catch(onError)
    },
  }
}
