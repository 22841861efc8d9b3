import { hash } from 'node:crypto'
import { latestTime, type Schedule } from '#lib/cron.ts'

const HOUR_MS = 3_600_000
/** Runs of one night begin within an hour, so that all apps do not begin at the same second. */
const SPREAD_MS = HOUR_MS
/** A slot that is older was missed: after a long downtime nobody wants last night's runs in the afternoon. */
const MAX_LATE_MS = 6 * HOUR_MS
/** A day of 23 hours must not make an app with a cooldown of 24 skip every second night. */
const COOLDOWN_TOLERANCE_MS = 2 * HOUR_MS

type Nightly = {
  readonly schedule: Schedule
  readonly cooldownHours: number
  readonly appId: string
  /** When the schedule or the switch of the app was last changed: earlier slots are none of it. */
  readonly since: Date
  /** The slot of the last scheduled run that looked at everything. */
  readonly lastCompleteSlot: Date | null
}

type Night =
  | { readonly decision: 'none' }
  | { readonly decision: 'wait' | 'start' | 'cooldown' | 'missed'; readonly slotAt: Date }

/** Decides what is to be done now about the latest night of an app that was not decided yet. */
export function decideNight({ schedule, cooldownHours, appId, since, lastCompleteSlot }: Nightly, now: Date): Night {
  const slotAt = latestTime(schedule, now)
  if (!slotAt || slotAt < since) return { decision: 'none' }
  const lateMs = now.getTime() - slotAt.getTime()
  if (lateMs > MAX_LATE_MS) return { decision: 'missed', slotAt }
  if (lateMs < spreadOf(appId)) return { decision: 'wait', slotAt }
  const restMs = cooldownHours * HOUR_MS - COOLDOWN_TOLERANCE_MS
  const isResting = lastCompleteSlot !== null && slotAt.getTime() - lastCompleteSlot.getTime() < restMs
  return { decision: isResting ? 'cooldown' : 'start', slotAt }
}

/** How long after the slot the run of an app begins. It is the same every night. */
export function spreadOf(appId: string): number {
  return Number.parseInt(hash('sha256', appId).slice(0, 8), 16) % SPREAD_MS
}
