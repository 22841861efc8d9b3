import type { Db } from '#lib/db/db.ts'
import type { Log } from '#lib/log/log.ts'
import { messageOf } from '#lib/message-of.ts'
import type { Clock } from '#lib/time/clock.ts'
import { nextTime, type Schedule } from '#lib/time/cron.ts'
import type { Loop } from '#lib/work/loop.ts'
import { dueSlot, overdueSince } from './overdue.ts'
import { type BackupResult, beginSlot, endSlot, readState } from './store.ts'

type Deps = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Hears when the last good backup ended, if there is one, and whether that is too long ago. */
  readonly report: (state: { readonly goodAt: Date | null; readonly isOverdue: boolean }) => void
  readonly schedule: Schedule
  /** Makes a backup, verifies it and removes the oldest. Rejects if that fails. */
  readonly backUp: (now: Date, signal: AbortSignal) => Promise<Exclude<BackupResult, { fault: string }>>
}

/** How often the metrics are brought up to date. */
const LOOK_MS = 5 * 60_000

/** Makes the backups of a schedule. However many workers there are, one of them takes each slot. */
export function backupLoop(deps: Deps): Loop {
  const { db, schedule } = deps
  return {
    name: 'backups',
    async tick(now, signal) {
      const slot = dueSlot(await readState(db), schedule, now)
      if (slot && (await beginSlot(db, slot, now))) await runSlot(deps, slot, signal)
      await measure(deps, now)
      const soon = new Date(now.getTime() + LOOK_MS)
      const next = nextTime(schedule, now)
      return next && next < soon ? next : soon
    },
  }
}

async function runSlot({ db, clock, log, backUp }: Deps, slot: Date, signal: AbortSignal): Promise<void> {
  const result: BackupResult = await backUp(clock.now(), signal).catch((error: unknown) => ({
    fault: messageOf(error),
  }))
  if ('fault' in result) log.error({ slot, fault: result.fault }, 'a backup failed')
  else log.info({ slot, ...result }, 'a backup was made')
  await endSlot(db, slot, clock.now(), result)
}

async function measure({ db, report, schedule }: Deps, now: Date): Promise<void> {
  const state = await readState(db)
  report({ goodAt: state.good_at, isOverdue: overdueSince(state, schedule, now) !== undefined })
}
