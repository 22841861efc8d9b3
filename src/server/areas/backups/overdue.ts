import { latestTime, nextTime, type Schedule } from '#lib/time/cron.ts'
import type { BackupState } from './store.ts'

/** A backup may take this long before it is missed. */
const GRACE_MS = 60 * 60_000

/**
 * Returns since when a good backup is missing, or undefined. One failed slot is no alarm, because the next one may
 * succeed: the last good backup is too old when two slots have passed since.
 */
export function overdueSince({ good_at, first_slot_at }: BackupState, schedule: Schedule, now: Date): Date | undefined {
  const from = good_at ?? first_slot_at
  if (!from) return undefined
  const next = nextTime(schedule, from)
  const second = next && nextTime(schedule, next)
  const due = good_at ? second : next
  return due && due.getTime() + GRACE_MS < now.getTime() ? due : undefined
}

/** Returns the slot that is to be taken now, or undefined. A slot that was missed while nothing ran is taken late. */
export function dueSlot({ last_slot_at }: BackupState, schedule: Schedule, now: Date): Date | undefined {
  const slot = latestTime(schedule, now)
  return slot && (!last_slot_at || slot > last_slot_at) ? slot : undefined
}
