import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { notifyWorker, STREAMS_CHANNEL } from './channels.ts'
import { endCalls, type FinishDeps } from './finish.ts'
import {
  type EndingCall,
  findEnding,
  lockUnchanged,
  removeAbandoned,
  removeLostWorkers,
  requeue,
  secondsToNext,
} from './sweep-store.ts'

const MIN_WAIT_SECONDS = 0.2
const MAX_WAIT_SECONDS = 5
const IDLE_SECONDS = 60

type SweepDeps = FinishDeps & { readonly db: Db; readonly onError: (error: unknown) => void }

/** Ends the calls of lost workers and those past their deadline. A worker's stream that opens or closes wakes it. */
export function sweepLoop(deps: SweepDeps): Loop {
  const { db, onError } = deps
  return {
    name: 'calls-sweep',
    leader: true,
    wakeOn: STREAMS_CHANNEL,
    tick: async (now, signal) => {
      await removeLostWorkers(db)
      await removeAbandoned(db)
      for (const call of await findEnding(db)) {
        if (signal.aborted) break
        // One call that cannot be ended must not keep the others.
        await endOne(deps, call).catch(onError)
      }
      return new Date(now.getTime() + waitSeconds(await secondsToNext(db)) * 1000)
    },
  }
}

function waitSeconds(next: number | undefined): number {
  return next === undefined ? IDLE_SECONDS : Math.min(Math.max(next, MIN_WAIT_SECONDS), MAX_WAIT_SECONDS)
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
