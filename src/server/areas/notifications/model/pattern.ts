import { EVENT_TYPES } from '#contract/core/events.ts'
import { countEdits } from '#contract/core/suggest.ts'

const SUBSCRIBABLE_TYPES = EVENT_TYPES.filter((type) => type !== 'notification.test')

/** Returns whether a subscription to `pattern` covers the event type. `support.ticket.*` covers all types below it. */
export function matchesPattern(pattern: string, type: string): boolean {
  return pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type
}

/** Returns undefined for a pattern that covers at least one event type, otherwise what is wrong with it. */
export function patternFault(pattern: string): string | undefined {
  if (SUBSCRIBABLE_TYPES.some((type) => matchesPattern(pattern, type))) return undefined
  const nearest = nearestPattern(pattern)
  const hint =
    nearest === undefined ? 'Use an event type, or a prefix such as support.ticket.*.' : `Did you mean ${nearest}?`
  return `No event type matches ${JSON.stringify(pattern)}. ${hint}`
}

/** The known type or wildcard that differs from `text` in the fewest characters, if it is close. */
function nearestPattern(text: string): string | undefined {
  const [best] = knownPatterns()
    .map((pattern) => ({ pattern, distance: countEdits(text.toLowerCase(), pattern) }))
    .sort((a, b) => a.distance - b.distance)
  const limit = Math.min(MAX_HINT_DISTANCE, Math.floor(text.length / 2))
  return best && best.distance <= limit ? best.pattern : undefined
}

const MAX_HINT_DISTANCE = 6

function knownPatterns(): string[] {
  const wildcards = SUBSCRIBABLE_TYPES.flatMap((type) => {
    const parts = type.split('.')
    return parts.slice(1).map((_, i) => `${parts.slice(0, i + 1).join('.')}.*`)
  })
  return [...SUBSCRIBABLE_TYPES, ...new Set(wildcards)]
}
