import type { Db } from '#lib/db/db.ts'
import { repeatWhileFull } from '#lib/work/full-batches.ts'
import type { Loop } from '#lib/work/loop.ts'
import { newRun, queueRuns } from './runs-store.ts'
import { nextSlot } from './schedule.ts'
import { type CheckRow, findNextSlot, lockDueChecks, SCHEDULE_CHANNEL, saveNextSlots } from './store.ts'

const BATCH = 200
const IDLE_MS = 60_000
/** A check whose cron expression has no more times is looked at again then. */
const FAR_MS = 365 * 24 * 60 * 60_000

/** When a check whose next slot cannot be computed is looked at again. */
const RETRY_MS = 60 * 60_000

type PlanDeps = { db: Db; onError: (error: unknown, checkId: string) => void }

/** Queues a run for each check whose slot has come. Several processes may do this at once. */
export function planLoop(deps: PlanDeps): Loop {
  const { db } = deps
  return {
    name: 'checks-plan',
    wakeOn: SCHEDULE_CHANNEL,
    async tick(now, signal) {
      await repeatWhileFull(signal, BATCH, () => planDue(deps, now))
      const next = await findNextSlot(db)
      return new Date(Math.min(next?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime() + IDLE_MS))
    },
  }
}

async function planDue({ db, onError }: PlanDeps, now: Date): Promise<number> {
  return db.tx(async (tx) => {
    const due = await lockDueChecks(tx, now, BATCH)
    const planned = due.map((check) => ({ check, next: nextOf(check, now, onError) }))
    const runs = planned.flatMap(({ check, next }) => (next ? [newRun(check, check.next_at, null, now)] : []))
    await queueRuns(tx, runs)
    const retryAt = new Date(now.getTime() + RETRY_MS)
    const slots = planned.map(({ check, next }) => ({ id: check.id, next: next ?? retryAt }))
    await saveNextSlots(tx, slots)
    return due.length
  })
}

/**
 * Undefined for a check whose next slot cannot be computed, for example because this release knows other timezones. It
 * does not run then, and holds up no other.
 */
function nextOf({ id, schedule, next_at }: CheckRow, now: Date, onError: PlanDeps['onError']): Date | undefined {
  try {
    return nextSlot(schedule, next_at!, now) ?? new Date(now.getTime() + FAR_MS)
  } catch (error) {
    onError(error, id)
    return undefined
  }
}
