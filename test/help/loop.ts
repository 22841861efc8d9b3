import type { Loop } from '#lib/work/loop.ts'

type Turn = { now: Date; signal: AbortSignal; finish(next: Date): void; fail(error: Error): void }

/** A loop whose turns a test takes one by one: each waits until the test ends it. */
export function openTestLoop(options: Omit<Loop, 'tick'>) {
  const turns: Turn[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const loop: Loop = {
    ...options,
    tick: (now, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<Date>()
      turns.push({ now, signal, finish: resolve, fail: reject })
      for (const { count, resolve: met } of waiting) if (turns.length >= count) met()
      return promise
    },
  }
  /** The turn of that number, from 1, when it comes. */
  const turn = async (count: number): Promise<Turn> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ count, resolve })
    if (turns.length >= count) resolve()
    await promise
    return turns[count - 1]!
  }
  return { loop, turn, turns }
}
