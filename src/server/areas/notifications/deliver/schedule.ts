export const CHANNEL_KINDS = ['email', 'chat', 'chat_dm', 'webhook', 'forum'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

const SECONDS = { minute: 60, hour: 3600 } as const
const LONG = [5, 1 * SECONDS.minute, 5 * SECONDS.minute, 30 * SECONDS.minute, 2 * SECONDS.hour, 6 * SECONDS.hour]
/** People act on chat at once: a message that comes hours late is worse than one in the ledger. */
const SHORT = LONG.slice(0, 4)

const DELAYS: Record<ChannelKind, readonly number[]> = {
  email: LONG,
  webhook: LONG,
  forum: LONG,
  chat: SHORT,
  chat_dm: SHORT,
}

/** Shortest time between two messages to one destination, as the services behind them ask for. */
export const PACING_SECONDS: Record<ChannelKind, number> = { email: 0, webhook: 0, chat: 1, chat_dm: 1, forum: 1 }

/** Messages under way to one destination at once, so that a slow one cannot take all slots. */
export const MAX_IN_FLIGHT: Record<ChannelKind, number> = { email: 2, webhook: 4, chat: 1, chat_dm: 1, forum: 1 }

const JITTER = 0.2

/** Returns the seconds to wait after the given attempt (from 1), ± 20 %, or undefined when it was the last one. */
export function retryDelaySeconds(kind: ChannelKind, attempt: number, random: number): number | undefined {
  const delay = DELAYS[kind][attempt - 1]
  return delay === undefined ? undefined : delay * (1 + JITTER * (2 * random - 1))
}

/** Longest wish for a pause that is honoured, so that a receiver cannot park a delivery for ever. */
export const MAX_RETRY_AFTER_SECONDS = 24 * SECONDS.hour

/** Reads `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date. Undefined when it is neither. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const isDate = /^[A-Z][a-z]{2}, /.test(text)
  const seconds = isDate ? (Date.parse(text) - now.getTime()) / 1000 : /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(seconds)) return undefined
  return Math.min(Math.max(Math.ceil(seconds), 0), MAX_RETRY_AFTER_SECONDS)
}
