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

/** Queues a run for each check whose slot has come. Several processes may do this at once. */
export function planLoop({ db }: { db: Db }): Loop {
  return {
    name: 'checks-plan',
    wakeOn: SCHEDULE_CHANNEL,
    async tick(now, signal) {
      await repeatWhileFull(signal, BATCH, () => planDue(db, now))
      const next = await findNextSlot(db)
      return new Date(Math.min(next?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime() + IDLE_MS))
    },
  }
}

async function planDue(db: Pick<Db, 'tx'>, now: Date): Promise<number> {
  return db.tx(async (tx) => {
    const due = await lockDueChecks(tx, now, BATCH)
    const runs = due.map((check) => newRun(check, check.next_at, null, now))
    await queueRuns(tx, runs)
    const slots = due.map((check) => ({ id: check.id, next: nextOf(check, now) }))
    await saveNextSlots(tx, slots)
    return due.length
  })
}

function nextOf({ schedule, next_at }: CheckRow, now: Date): Date {
  return nextSlot(schedule, next_at!, now) ?? new Date(now.getTime() + FAR_MS)
}
