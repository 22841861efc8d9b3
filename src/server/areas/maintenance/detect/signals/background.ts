import { endedInterruptions } from './dependency-timeout.ts'
import type { SignalEvidence } from './evidence.ts'

/** Below this number of requests a share of them says nothing. */
const MIN_REQUESTS = 100
/** An app that strangers use always logs some errors. One request in a hundred is more than that. */
const MIN_SHARE = 0.01
/** Rarer errors are no finding in any case. */
const MIN_REPEATS = 3
const MAX_TEMPLATES = 200
/** Half of the window: an error that began later is new, however rare. */
const WINDOW_MS = 24 * 3_600_000

/** Returns the templates of errors that are no fault: the background of a busy app, and interruptions that are over. */
export function backgroundOf(evidence: SignalEvidence): string[] {
  return [...rareErrors(evidence), ...endedInterruptions(evidence)].slice(0, MAX_TEMPLATES)
}

/**
 * Returns errors that are fewer than one for each hundred requests, and were logged in the older half of the time that
 * the requests cover as well.
 */
function rareErrors({ recent, now }: SignalEvidence): string[] {
  const requests = recent.filter(({ request }) => request !== undefined)
  if (requests.length < MIN_REQUESTS) return []
  const begin = Math.max(recent[0]!.at.getTime(), now.getTime() - WINDOW_MS)
  const middle = (begin + now.getTime()) / 2
  const errors = new Map<string, { count: number; isOld: boolean }>()
  for (const { level, template, at } of recent) {
    if (level !== 'error') continue
    const { count = 0, isOld = false } = errors.get(template) ?? {}
    errors.set(template, { count: count + 1, isOld: isOld || at.getTime() < middle })
  }
  return [...errors]
    .filter(([, { count, isOld }]) => isOld && count >= MIN_REPEATS && count < requests.length * MIN_SHARE)
    .map(([template]) => template)
}
