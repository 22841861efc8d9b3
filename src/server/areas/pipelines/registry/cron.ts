import { cronFault, latestTime, nextTime, type Schedule } from '#lib/time/cron.ts'
import { isTimezone } from '#lib/time/timezone.ts'

/**
 * How late a run may begin. A slot that is older was missed, so that a process which was down for a day does not start
 * yesterday's runs today.
 */
export const START_WINDOW_MS = 5 * 60_000

/** How long a slot waits for a worker to come back while svc itself was not restarted. */
export const GRACE_MS = 60_000

/**
 * Returns the slot that is to be decided now, given the first undecided one. All slots that are too old to be run are
 * decided as one, the latest of them, and so are all that can still be run: downtime never leads to a flood of runs.
 */
export function slotToDecide(schedule: Schedule, firstUndecided: Date, now: Date): Date | undefined {
  if (firstUndecided > now) return undefined
  const oldestToRun = new Date(now.getTime() - START_WINDOW_MS)
  const until = firstUndecided < oldestToRun ? new Date(oldestToRun.getTime() - 1) : now
  const latest = latestTime(schedule, until)
  return latest && latest > firstUndecided ? latest : firstUndecided
}

/**
 * Returns the slot to decide while no worker serves the pipeline: the latest one whose grace has passed, or the first
 * undecided one. Newer slots keep their own grace. If the newest slot were decided, a schedule with slots as close as the
 * grace would always have one that still waits.
 */
export function unservedSlotToDecide(schedule: Schedule, firstUndecided: Date, now: Date): Date | undefined {
  if (firstUndecided > now) return undefined
  const latest = latestTime(schedule, new Date(now.getTime() - GRACE_MS))
  return latest && latest > firstUndecided ? latest : firstUndecided
}

/** Returns what is wrong with a schedule, or undefined. */
export function scheduleFault({ cron, timezone }: Schedule): string | undefined {
  const fault = cronFault(cron)
  if (fault !== undefined) return `schedule: ${fault}`
  return isTimezone(timezone) ? undefined : `timezone: ${timezone} is not an IANA name, such as Europe/Berlin.`
}

/** The first time after `now` at which a pipeline is due; null while it is disabled or has no schedule. */
export function firstSlot(
  { schedule, timezone, enabled }: { schedule: string | null; timezone: string; enabled: boolean },
  now: Date,
): Date | null {
  if (schedule === null || !enabled) return null
  return nextTime({ cron: schedule, timezone }, now) ?? null
}
