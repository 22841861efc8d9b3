import type { ActivityRecord } from '#contract/activity.ts'

/**
 * Picks from the newest records, newest first, those to print now, oldest first. A call without a status may be under
 * way, so it is printed when it has one, or at the next look if it has none then.
 */
export function newRecords(
  page: readonly ActivityRecord[],
  shown: ReadonlySet<string>,
  underWay: ReadonlySet<string>,
): { ready: ActivityRecord[]; waiting: ReadonlySet<string> } {
  const fresh = page.filter(({ id }) => !shown.has(id)).toReversed()
  const isReady = ({ id, status }: ActivityRecord) => status !== null || underWay.has(id)
  return { ready: fresh.filter(isReady), waiting: new Set(fresh.filter((call) => !isReady(call)).map(({ id }) => id)) }
}
