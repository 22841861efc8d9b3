import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { queueRuns } from './runs-store.ts'
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
      while (!signal.aborted && (await planDue(db, now)) === BATCH);
      const next = await findNextSlot(db)
      return new Date(Math.min(next?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime() + IDLE_MS))
    },
  }
}

async function planDue(db: Pick<Db, 'tx'>, now: Date): Promise<number> {
  return db.tx(async (tx) => {
    const due = await lockDueChecks(tx, now, BATCH)
    await queueRuns(
      tx,
      due.map((check) => ({
        id: newId('ckr'),
        check_id: check.id,
        org_id: check.org_id,
        app_id: check.app_id,
        trigger: 'schedule' as const,
        slot: check.next_at,
        requested_by: null,
        created_at: now,
      })),
    )
    await saveNextSlots(
      tx,
      due.map((check) => ({ id: check.id, next: nextOf(check, now) })),
    )
    return due.length
  })
}

function nextOf({ schedule, next_at }: CheckRow, now: Date): Date {
  return nextSlot(schedule, next_at!, now) ?? new Date(now.getTime() + FAR_MS)
}
