import type { DestinationKind } from '#contract/notifications/channels.ts'

const SECONDS = { minute: 60, hour: 3600 } as const
const LONG = [5, 1 * SECONDS.minute, 5 * SECONDS.minute, 30 * SECONDS.minute, 2 * SECONDS.hour, 6 * SECONDS.hour]
/** People act on chat at once: a message that comes hours late is worse than one in the ledger. */
const SHORT = LONG.slice(0, 4)

type Rules = {
  /** Seconds to wait after each attempt that provably delivered nothing. */
  readonly retryDelays: readonly number[]
  /** Shortest time between two messages to one destination, as the service behind it asks for. */
  readonly pacingSeconds: number
  /** Messages under way to one destination at once, so that a slow one cannot take all slots. */
  readonly maxInFlight: number
}

export const DELIVERY_RULES: Record<DestinationKind, Rules> = {
  email: { retryDelays: LONG, pacingSeconds: 0, maxInFlight: 2 },
  webhook: { retryDelays: LONG, pacingSeconds: 0, maxInFlight: 8 },
  forum: { retryDelays: LONG, pacingSeconds: 1, maxInFlight: 1 },
  chat: { retryDelays: SHORT, pacingSeconds: 1, maxInFlight: 1 },
  chat_dm: { retryDelays: SHORT, pacingSeconds: 1, maxInFlight: 1 },
}

const JITTER = 0.2

/** Returns the seconds to wait after the given attempt (from 1), ± 20 %, or undefined when it was the last one. */
export function retryDelaySeconds(kind: DestinationKind, attempt: number, random: number): number | undefined {
  const delay = DELIVERY_RULES[kind].retryDelays[attempt - 1]
  return delay === undefined ? undefined : delay * (1 + JITTER * (2 * random - 1))
}

/** Longest wish for a pause that is honoured, so that a receiver cannot park a delivery for ever. */
const MAX_RETRY_AFTER_SECONDS = 24 * SECONDS.hour

/** Reads `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date. Undefined when it is neither. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const isDate = /^[A-Z][a-z]{2}, /.test(text)
  const seconds = isDate ? (Date.parse(text) - now.getTime()) / 1000 : /^\d+$/.test(text) ? Number(text) : Number.NaN
  // Too many digits give Infinity, which is a wish for the longest pause.
  if (Number.isNaN(seconds)) return undefined
  return Math.min(Math.max(Math.ceil(seconds), 0), MAX_RETRY_AFTER_SECONDS)
}
