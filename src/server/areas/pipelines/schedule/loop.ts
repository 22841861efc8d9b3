import type { Loop } from '#lib/work/loop.ts'
import type { RunDeps } from '../runs/deps.ts'
import { GRACE_MS } from './decide-slot.ts'
import { evaluatePipeline } from './evaluate.ts'
import { type DuePipeline, findNextDue, pageDuePipelines, SCHEDULE_CHANNEL } from './store.ts'

const PAGE = 200
/** How often to look for a worker that a slot waits for. */
const WAITING_MS = 2_000
/** Covers lost notifications and clocks that were set. */
const IDLE_MS = 30 * 60_000

/**
 * Starts runs that are due. Any number of processes may run it: the lock of a pipeline and the unique time of a run see
 * to it that each slot is decided once.
 */
export function scheduleLoop(deps: RunDeps): Loop {
  const watch = createWatch()
  return {
    name: 'pipelines-schedule',
    wakeOn: SCHEDULE_CHANNEL,
    async tick(now, signal) {
      const watchingSince = watch.look(now)
      let isWaiting = false
      for await (const { id } of duePipelines(deps, now)) {
        if (signal.aborted) break
        const next = await deps.db.tx((tx) => evaluatePipeline(tx, deps, id, { now, watchingSince }))
        if (next && next <= new Date(now.getTime() + GRACE_MS)) isWaiting = true
      }
      const next = isWaiting
        ? new Date(now.getTime() + WAITING_MS)
        : earlier(await findNextDue(deps.db, now), new Date(now.getTime() + IDLE_MS))
      watch.planned(next)
      return next
    },
  }
}

async function* duePipelines({ db }: Pick<RunDeps, 'db'>, now: Date): AsyncGenerator<DuePipeline> {
  let after: DuePipeline | undefined
  while (true) {
    const page = await pageDuePipelines(db, { now, after, limit: PAGE })
    yield* page
    after = page.at(-1)
    if (page.length < PAGE) return
  }
}

function earlier(a: Date | undefined, b: Date): Date {
  return a && a < b ? a : b
}

/**
 * Knows since when this process has looked at schedules without a gap. After a gap (a start, or a machine that slept)
 * workers need time to connect again before they count as offline.
 */
function createWatch() {
  let since: Date | undefined
  let plannedAt: Date | undefined
  return {
    look: (now: Date): Date => {
      const isLate = plannedAt !== undefined && now.getTime() - plannedAt.getTime() > GRACE_MS
      if (!since || isLate) since = now
      return since
    },
    planned: (at: Date): void => {
      plannedAt = at
    },
  }
}
