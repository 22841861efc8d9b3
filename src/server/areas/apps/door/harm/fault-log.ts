const WINDOW_MS = 60_000
const MAX_APPS = 1_000
const OTHERS = 'others'

type Line = { readonly app: string; readonly reason: string; readonly count: number }

/**
 * Writes that an app did not answer: its first fault at once, and those of the minute after it together, because an app
 * resets connections as often as it likes. Faults of further apps than 1,000 in a minute are counted together.
 */
export class FaultLog {
  readonly #write: (line: Line) => void
  readonly #nowMs: () => number
  /** In the order in which their minutes began. */
  readonly #apps = new Map<string, { until: number; reason: string; count: number }>()

  constructor(write: (line: Line) => void, nowMs = () => performance.now()) {
    this.#write = write
    this.#nowMs = nowMs
  }

  add(label: string, reason: string): void {
    const now = this.#nowMs()
    this.#endMinutes(now)
    const app = this.#apps.has(label) || this.#apps.size < MAX_APPS ? label : OTHERS
    const counted = this.#apps.get(app)
    if (counted) {
      counted.count++
      counted.reason = reason
      return
    }
    this.#write({ app, reason, count: 1 })
    this.#apps.set(app, { until: now + WINDOW_MS, reason, count: 0 })
  }

  #endMinutes(now: number): void {
    for (const [app, { until, reason, count }] of this.#apps) {
      if (until > now) return
      this.#apps.delete(app)
      if (count > 0) this.#write({ app, reason, count })
    }
  }
}
