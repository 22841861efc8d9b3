/** How often a page reads again by itself, by what it waits for. */
const POLL_MS = {
  /** Something that ends by itself within minutes, such as a run or a check of a change. */
  moving: 2_000,
  /** The first answer of a list that is empty so far. */
  first: 3_000,
  /** A page that people keep open to watch it. */
  watched: 5_000,
  /** A page that changes by a schedule. */
  scheduled: 10_000,
  /** A decision of another person. */
  decision: 15_000,
  /** Parts beside the matter of a page, such as banners and counts. */
  background: 30_000,
  statistics: 60_000,
} as const

/** Undefined and false: the page does not read again. */
export type Poll = keyof typeof POLL_MS | false | undefined

/**
 * Returns the time until the next read. A read that waits for an end names a function, which says of each answer whether
 * there is more to wait for; all others go on while their page is shown. None reads in a tab that is hidden.
 */
export function pollMs<T>(poll: Poll | ((answer: T | undefined) => Poll), answer: T | undefined): number | false {
  const named = typeof poll === 'function' ? poll(answer) : poll
  return named ? POLL_MS[named] : false
}
