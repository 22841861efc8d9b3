/** Different times of lines that were sent which are told apart. Lines of earlier times count as stored. */
const MAX_TIMES = 500

/** `app`: how many lines of this time the app itself wrote. `end`: how many lines fell out up to this time. */
type SentTime = { readonly app: number; readonly end: number }

/** The counts for the next program in this process, each with its time. */
export type FrozenForgotten = {
  /** Lines by the times at which the app, or svc, wrote them. A former release reads only these. */
  readonly byApp: readonly (readonly [number, number])[]
  readonly bySystem: readonly (readonly [number, number])[]
  /** Undefined: a former release wrote it. */
  readonly exact?: {
    readonly total: number
    readonly firstAt: number | null
    readonly last: { readonly at: number; readonly app: number }
    readonly sent: readonly (readonly [number, SentTime])[]
    readonly storedEnd: number
  }
}

/**
 * Counts lines that fell out of a buffer. The log of an app says up to which time its lines are stored, so that only the
 * times of lines that were sent have to be told apart: those of a gap, in which nothing is sent, are one number, however
 * long it is.
 */
export class ForgottenLines {
  readonly #maxTimes: number
  readonly #sent = new Map<number, SentTime>()
  #total = 0
  #firstAt: number | null = null
  #last = { at: Number.NEGATIVE_INFINITY, app: 0 }
  /** How many lines fell out up to the newest time that is not told apart any more. */
  #storedEnd = 0

  constructor(maxTimes = MAX_TIMES) {
    this.#maxTimes = maxTimes
  }

  static restore({ byApp, bySystem, exact }: FrozenForgotten): ForgottenLines {
    const lines = new ForgottenLines()
    if (!exact) {
      for (const [at, count, by] of inOrder(byApp, bySystem)) lines.#count(at, by, count, true)
      return lines
    }
    lines.#total = exact.total
    lines.#firstAt = exact.firstAt
    // JSON has no infinity.
    lines.#last = exact.total === 0 ? lines.#last : { ...exact.last }
    for (const [at, one] of exact.sent) lines.#sent.set(at, one)
    lines.#storedEnd = exact.storedEnd
    return lines
  }

  freeze(): FrozenForgotten {
    const sent = [...this.#sent]
    const [total, firstAt, last, storedEnd] = [this.#total, this.#firstAt, this.#last, this.#storedEnd]
    return {
      byApp: sent.map(([at, { app }]) => [at, app]),
      bySystem: [],
      exact: { total, firstAt, last, sent, storedEnd },
    }
  }

  /** Times must not go back. */
  add(at: number, by: 'app' | 'system', { wasSent }: { wasSent: boolean }): void {
    this.#count(at, by, 1, wasSent)
  }

  /** How many lines the app itself wrote at this time, which is that of a line that was sent or the newest one. */
  at(time: number): number {
    return time === this.#last.at ? this.#last.app : (this.#sent.get(time)?.app ?? 0)
  }

  /** How many lines are from after this time, which is that of a line that was sent, or before all lines. */
  after(time: number): number {
    if (time >= this.#last.at) return 0
    if (this.#firstAt === null || time < this.#firstAt) return this.#total
    let end = this.#storedEnd
    for (const [at, sent] of this.#sent) if (at <= time) end = sent.end
    return this.#total - end
  }

  #count(at: number, by: 'app' | 'system', count: number, wasSent: boolean): void {
    this.#total += count
    this.#firstAt ??= at
    if (at !== this.#last.at) this.#last = { at, app: 0 }
    if (by === 'app') this.#last.app += count
    if (!wasSent && !this.#sent.has(at)) return
    this.#sent.set(at, { app: this.#last.app, end: this.#total })
    if (this.#sent.size > this.#maxTimes) this.#prune()
  }

  #prune(): void {
    const [oldest] = this.#sent
    this.#sent.delete(oldest![0])
    this.#storedEnd = oldest![1].end
  }
}

type Counted = readonly [number, number, 'app' | 'system']

function inOrder(byApp: FrozenForgotten['byApp'], bySystem: FrozenForgotten['bySystem']): Counted[] {
  const all = [
    ...bySystem.map(([at, count]): Counted => [at, count, 'system']),
    ...byApp.map(([at, count]): Counted => [at, count, 'app']),
  ]
  return all.sort(([a], [b]) => a - b)
}
