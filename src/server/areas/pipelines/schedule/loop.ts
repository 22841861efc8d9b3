import type { Loop } from '#lib/work/loop.ts'
import { reconnectsMsLeft } from '../calls/reconnect-store.ts'
import { createWatch, latest } from '../calls/watch.ts'
import type { PipelineDeps } from '../deps.ts'
import { type DuePipeline, findNextDue, pageDuePipelines, SCHEDULE_CHANNEL } from '../registry/store.ts'
import { evaluatePipeline } from './evaluate.ts'

type ScheduleDeps = Pick<PipelineDeps, 'db' | 'clock' | 'sealer' | 'appsIn' | 'onError'>

const PAGE = 200
/** How soon to look again for a worker that a slot waits for, or at a pipeline that another process has locked. */
const RETRY_MS = 2_000
/** Covers lost notifications and clocks that were set. */
const IDLE_MS = 30 * 60_000

/**
 * Starts runs that are due. Any number of processes may run it: the lock of a pipeline and the unique time of a run see
 * to it that each slot is decided once.
 */
export function scheduleLoop(deps: ScheduleDeps): Loop {
  const watch = createWatch()
  return {
    name: 'pipelines-schedule',
    wakeOn: SCHEDULE_CHANNEL,
    async tick(now, signal) {
      const reconnectUntil = latest(watch.look(now), now, await reconnectsMsLeft(deps.db))
      const look = { now, reconnectUntil }
      let isSettled = true
      for await (const { id } of duePipelines(deps, now)) {
        if (signal.aborted) break
        const evaluating = deps.db.tx((tx) => evaluatePipeline(tx, deps, id, look))
        const isDone = await evaluating.catch((error: unknown) => {
          // A pipeline that cannot be evaluated must not keep the others.
          deps.onError(error)
          return false
        })
        if (!isDone) isSettled = false
      }
      const next = isSettled ? await nextLook(deps, now) : after(now, RETRY_MS)
      watch.planned(next)
      return next
    },
  }
}

async function nextLook({ db }: ScheduleDeps, now: Date): Promise<Date> {
  const due = await findNextDue(db, now)
  const idle = after(now, IDLE_MS)
  return due && due < idle ? due : idle
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms)
}

async function* duePipelines({ db }: ScheduleDeps, now: Date): AsyncGenerator<DuePipeline> {
  let last: DuePipeline | undefined
  while (true) {
    const page = await pageDuePipelines(db, { now, after: last, limit: PAGE })
    yield* page
    last = page.at(-1)
    if (page.length < PAGE) return
  }
}
