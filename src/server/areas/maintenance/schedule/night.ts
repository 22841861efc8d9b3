import { hash } from 'node:crypto'
import { latestTime, nextTime, type Schedule } from '#lib/time/cron.ts'

const HOUR_MS = 3_600_000
/** Runs of one night begin within an hour, so that all apps do not begin at the same second. */
const SPREAD_MS = HOUR_MS
/** A slot that is older was missed: after a long downtime nobody wants last night's runs in the afternoon. */
const MAX_LATE_MS = 6 * HOUR_MS
/**
 * How much earlier than the cooldown a slot may be: a day of 23 hours must not make an app with a cooldown of 24 skip a
 * night. A share of the cooldown, otherwise one of two hours would not hold back anything.
 */
const TOLERANCE = { share: 1 / 6, maxMs: 2 * HOUR_MS }

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

/**
 * Decides what is to be done now about the latest night of an app. While the run of the newest slot waits for its time,
 * the slot before it is the latest night, so that a loop which looked late does not lose it.
 */
export function decideNight(nightly: Nightly, now: Date): Night {
  const { schedule, since } = nightly
  const newest = latestTime(schedule, now)
  if (!newest || newest < since) return { decision: 'none' }
  if (isTime(nightly, newest, now)) return decideSlot(nightly, newest, now)
  const former = latestTime(schedule, new Date(newest.getTime() - 1000))
  const isStartable = former !== undefined && former >= since && now.getTime() - former.getTime() <= MAX_LATE_MS
  return isStartable ? decideSlot(nightly, former, now) : { decision: 'wait', slotAt: newest }
}

function decideSlot({ cooldownHours, lastCompleteSlot }: Nightly, slotAt: Date, now: Date): Night {
  if (now.getTime() - slotAt.getTime() > MAX_LATE_MS) return { decision: 'missed', slotAt }
  const cooldownMs = cooldownHours * HOUR_MS
  const restMs = cooldownMs - Math.min(cooldownMs * TOLERANCE.share, TOLERANCE.maxMs)
  const isResting = lastCompleteSlot !== null && slotAt.getTime() - lastCompleteSlot.getTime() < restMs
  return { decision: isResting ? 'cooldown' : 'start', slotAt }
}

/**
 * Whether the run of the slot may begin. The spread ends before the next slot, because a run would otherwise wait until
 * its slot is not the latest any more, and never begin.
 */
function isTime({ schedule, appId }: Nightly, slotAt: Date, now: Date): boolean {
  const lateMs = now.getTime() - slotAt.getTime()
  if (lateMs >= SPREAD_MS) return true
  const next = nextTime(schedule, slotAt)
  const distanceMs = next ? next.getTime() - slotAt.getTime() : SPREAD_MS
  return lateMs >= spreadOf(appId, Math.min(SPREAD_MS, distanceMs))
}

/** How long after the slot the run of an app begins, less than `withinMs`. It is the same every night. */
export function spreadOf(appId: string, withinMs = SPREAD_MS): number {
  const fraction = (Number.parseInt(hash('sha256', appId).slice(0, 8), 16) % SPREAD_MS) / SPREAD_MS
  return Math.floor(fraction * withinMs)
}

type Due = { readonly since: Date; readonly lastDecidedSlot: Date | null; readonly slotAt: Date }

/**
 * Whether a night is due because somebody changed the schedule or switched the app on: it is the first one after that
 * change, or within a day of it. Otherwise a person could start a run by hand by moving the schedule to the next minute.
 */
export function isDueByChange({ since, lastDecidedSlot, slotAt }: Due): boolean {
  const isFirst = lastDecidedSlot === null || lastDecidedSlot < since
  return isFirst || slotAt.getTime() - since.getTime() < 24 * HOUR_MS
}
