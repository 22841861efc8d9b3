/** People find out within a week whether a fault is gone: it has each day of the week once. */
const WATCH_MS = 7 * 24 * 3_600_000
/** The former instance may still answer, and write its faults, for a minute. */
const SETTLING_MS = 60_000

type Deploy = { readonly liveAt: Date; readonly endedAt: Date | null }

export type WatchRow = {
  readonly live_at: Date
  readonly watched_until: Date
  readonly requests: number
  readonly seen_at: Date | null
  readonly replaced_at: Date | null
  readonly ended_at: Date | null
  /** Something that could have shown the fault was not read. */
  readonly is_partial: boolean
}

/**
 * Returns the part of the time that is to be read next. Only the time in which the deploy serves counts: faults that
 * another revision writes, such as after a rollback, say nothing about the change. `isLast`: the watch ends with it.
 */
export function nextWindow({ liveAt, endedAt }: Deploy, watchedUntil: Date | null, now: Date) {
  const begin = new Date(liveAt.getTime() + SETTLING_MS)
  const end = new Date(Math.min(liveAt.getTime() + WATCH_MS, endedAt?.getTime() ?? Number.POSITIVE_INFINITY))
  const since = watchedUntil ?? begin
  const until = now < end ? now : end
  return { since, until: until < since ? since : until, isLast: now >= end }
}

export type Observed = {
  readonly requests: number
  readonly seenAt: Date | null
  /** False if something that could show the fault was not read. */
  readonly isComplete: boolean
}

/** Adds what was observed in a window to the watch. It ends when the fault is back, or with its last window. */
export function addObserved(
  former: WatchRow | undefined,
  deploy: Deploy,
  window: ReturnType<typeof nextWindow>,
  { requests, seenAt, isComplete }: Observed,
): WatchRow {
  const isOver = window.isLast || seenAt !== null
  const isReplaced = deploy.endedAt !== null && deploy.endedAt.getTime() < deploy.liveAt.getTime() + WATCH_MS
  return {
    live_at: deploy.liveAt,
    watched_until: window.until,
    requests: (former?.requests ?? 0) + requests,
    seen_at: seenAt,
    replaced_at: isReplaced && seenAt === null ? deploy.endedAt : null,
    ended_at: isOver ? window.until : null,
    is_partial: (former?.is_partial ?? false) || !isComplete,
  }
}
