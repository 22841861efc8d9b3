/** Different times of lines that are told apart. Older ones are counted with the next time. */
const MAX_TIMES = 500

/** The counts for the next program in this process, each with its time. */
export type FrozenForgotten = {
  readonly byApp: readonly (readonly [number, number])[]
  readonly bySystem: readonly (readonly [number, number])[]
}

/** Counts lines that fell out of a buffer, by the times at which they were written. */
export class ForgottenLines {
  readonly #maxTimes: number
  readonly #byApp = new Map<number, number>()
  readonly #bySystem = new Map<number, number>()

  constructor(maxTimes = MAX_TIMES) {
    this.#maxTimes = maxTimes
  }

  static restore({ byApp, bySystem }: FrozenForgotten): ForgottenLines {
    const lines = new ForgottenLines()
    for (const [at, count] of byApp) lines.#byApp.set(at, count)
    for (const [at, count] of bySystem) lines.#bySystem.set(at, count)
    return lines
  }

  freeze(): FrozenForgotten {
    return { byApp: [...this.#byApp], bySystem: [...this.#bySystem] }
  }

  /** Times must not go back. */
  add(at: number, by: 'app' | 'system'): void {
    const counts = by === 'app' ? this.#byApp : this.#bySystem
    counts.set(at, (counts.get(at) ?? 0) + 1)
    if (counts.size > this.#maxTimes) joinOldest(counts)
  }

  /** How many lines the app itself wrote at this time. */
  at(time: number): number {
    return this.#byApp.get(time) ?? 0
  }

  /** How many lines are from after this time. */
  after(time: number): number {
    return sumAfter(this.#byApp, time) + sumAfter(this.#bySystem, time)
  }
}

function joinOldest(counts: Map<number, number>): void {
  const [oldest, next] = counts.entries()
  counts.delete(oldest![0])
  counts.set(next![0], next![1] + oldest![1])
}

function sumAfter(counts: ReadonlyMap<number, number>, time: number): number {
  let sum = 0
  for (const [at, count] of counts) if (at > time) sum += count
  return sum
}
