import { addBuckets, bucketOf } from './latency-buckets.ts'

/** The end of a request of a visitor, as the door reports it. `ms`: until the app began to answer. */
export type Outcome =
  | { readonly status: number; readonly ms: number }
  /** Whose fault it is that there was no answer. */
  | { readonly noAnswer: 'app' | 'visitor' }

/** The counts of one app in one part of the time. */
export type AppSums = {
  /** The first label of the app's host names. */
  readonly label: string
  /** When the part of the time begins, in milliseconds since 1970. */
  readonly at: number
  readonly requests: number
  /** Those that got a status of 500 or more, or no answer that was not the visitor's fault. */
  readonly failed: number
  /** The answers of the app by their latency, without empty buckets at the end. */
  readonly latencies: readonly number[]
  /** The most that was seen in use at once. Null: it was not looked. */
  readonly memoryBytes: number | null
}

type Sums = { requests: number; failed: number; latencies: number[]; memoryBytes: number | null }
/** The newest part of the time in which an app was counted, and the most memory that was recorded in it. */
type Recent = { readonly at: number; readonly memoryBytes: number }

/** Parts of the time for which apps are counted apart. */
export const COUNTED_MS = 5 * 60_000
/** Further apps are not counted until the sums were taken. */
const MAX_APPS = 1_000
/** Older parts of the time are forgotten where nobody takes the sums. */
const MAX_PARTS = 24

/** Counts requests to apps and their memory until somebody takes the sums. */
export class AppCounts {
  readonly #nowMs: () => number
  readonly #sums = new Map<string, Map<number, Sums>>()
  readonly #recent = new Map<string, Recent>()

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs
  }

  ended(label: string, outcome: Outcome): void {
    const sums = this.#at(label)
    if (!sums) return
    sums.requests++
    if ('noAnswer' in outcome) {
      if (outcome.noAnswer === 'app') sums.failed++
      return
    }
    if (outcome.status >= 500) sums.failed++
    const bucket = bucketOf(outcome.ms)
    while (sums.latencies.length <= bucket) sums.latencies.push(0)
    sums.latencies[bucket]! += 1
  }

  /** Counts a request that found no room. Only an app that was counted lately exists for sure. */
  refused(label: string): void {
    if (this.#recent.has(label)) this.ended(label, { noAnswer: 'app' })
  }

  memory(label: string, bytes: number): void {
    const recent = this.#recent.get(label)
    if (recent && recent.at === this.#partNow() && bytes <= recent.memoryBytes) return
    const sums = this.#at(label, bytes)
    if (sums) sums.memoryBytes = Math.max(sums.memoryBytes ?? 0, bytes)
  }

  /** Returns what was counted and not taken. */
  read(): AppSums[] {
    return [...this.#sums].flatMap(([label, parts]) => [...parts].map(([at, sums]) => ({ label, at, ...sums })))
  }

  /** Returns what was counted since the last call. */
  take(): AppSums[] {
    const taken = this.read()
    this.#sums.clear()
    const before = this.#partNow() - COUNTED_MS
    for (const [label, { at }] of this.#recent) if (at < before) this.#recent.delete(label)
    return taken
  }

  /** Adds what another one counted. */
  add(all: readonly AppSums[]): void {
    for (const { label, at, ...counted } of all) {
      const sums = this.#find(label, at)
      if (!sums) continue
      sums.requests += counted.requests
      sums.failed += counted.failed
      addBuckets(sums.latencies, counted.latencies)
      if (counted.memoryBytes !== null) sums.memoryBytes = Math.max(sums.memoryBytes ?? 0, counted.memoryBytes)
    }
  }

  #partNow(): number {
    const now = this.#nowMs()
    return now - (now % COUNTED_MS)
  }

  #at(label: string, memoryBytes = 0): Sums | undefined {
    const at = this.#partNow()
    const sums = this.#find(label, at)
    const recent = this.#recent.get(label)
    if (sums)
      this.#recent.set(label, { at, memoryBytes: Math.max(recent?.at === at ? recent.memoryBytes : 0, memoryBytes) })
    return sums
  }

  #find(label: string, at: number): Sums | undefined {
    let parts = this.#sums.get(label)
    if (!parts) {
      if (this.#sums.size >= MAX_APPS) return undefined
      parts = new Map()
      this.#sums.set(label, parts)
    }
    let sums = parts.get(at)
    if (!sums) {
      sums = { requests: 0, failed: 0, latencies: [], memoryBytes: null }
      parts.set(at, sums)
      if (parts.size > MAX_PARTS) parts.delete(Math.min(...parts.keys()))
    }
    return sums
  }
}
