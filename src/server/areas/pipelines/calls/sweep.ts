import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { notifyWorker, STREAMS_CHANNEL } from './channels.ts'
import { endCalls, type FinishDeps } from './finish.ts'
import { reconnectsMsLeft } from './reconnect-store.ts'
import {
  type EndingCall,
  findEnding,
  lockUnchanged,
  removeAbandoned,
  removeLostWorkers,
  requeue,
  secondsToNext,
} from './sweep-store.ts'
import { createWatch, latest } from './watch.ts'

const MIN_WAIT_SECONDS = 0.2
/** While there are calls: nothing announces that one lost its worker, or that nobody took its result. */
const CALLS_SECONDS = 5
const IDLE_SECONDS = 60
/** While workers connect again, those that have not yet are past their end all the time. */
const RECONNECTING_SECONDS = 2

type SweepDeps = FinishDeps & { readonly db: Db; readonly onError: (error: unknown) => void }

/**
 * Ends the calls of lost workers and those past their deadline. A worker's stream that opens or closes wakes it, and so
 * does a new run of a pipeline; the replica that takes a call of a function ends it in time unless it dies. After a
 * restart of svc the runs of pipelines wait two minutes for their workers, which may go on with them.
 */
export function sweepLoop(deps: SweepDeps): Loop {
  const { db, onError } = deps
  const watch = createWatch()
  return {
    name: 'calls-sweep',
    leader: true,
    wakeOn: STREAMS_CHANNEL,
    tick: async (now, signal) => {
      const isReconnecting = latest(watch.look(now), now, await reconnectsMsLeft(db)) > now
      await removeLostWorkers(db, isReconnecting)
      await removeAbandoned(db)
      for (const call of await findEnding(db, isReconnecting)) {
        if (signal.aborted) break
        // One call that cannot be ended must not keep the others.
        await endOne(deps, call).catch(onError)
      }
      const wait = waitSeconds(await secondsToNext(db, CALLS_SECONDS))
      const next = new Date(now.getTime() + (isReconnecting ? Math.max(wait, RECONNECTING_SECONDS) : wait) * 1000)
      watch.planned(next)
      return next
    },
  }
}

function waitSeconds(next = IDLE_SECONDS): number {
  return Math.min(Math.max(next, MIN_WAIT_SECONDS), IDLE_SECONDS)
}

const MESSAGES: Record<EndingCall['fault'], string> = {
  WORKER_LOST: 'The worker that ran the call was lost. The call may have taken effect or not.',
  TIMEOUT: 'The call took too long.',
  NO_WORKER: 'The last worker that serves it has left before the call began.',
}

async function endOne(deps: SweepDeps, call: EndingCall): Promise<void> {
  await deps.db.tx(async (tx) => {
    if (!(await lockUnchanged(tx, call))) return
    if (call.fault === 'WORKER_LOST' && call.repeatable) return requeue(tx, call)
    const result = { ok: false, code: call.fault, message: MESSAGES[call.fault] } as const
    await endCalls(tx, deps, [{ call, result }], () => false)
    await notifyWorker(tx, call.workerId, 'ended', [call.id])
    if (call.fault === 'TIMEOUT' && call.workerId) await notifyWorker(tx, call.workerId, 'cancel', [call.id])
  })
}
