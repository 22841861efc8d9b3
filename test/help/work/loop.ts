import type { Loop } from '#lib/work/loop.ts'

type Turn = { now: Date; signal: AbortSignal; finish(next: Date): void; fail(error: Error): void }

/** Opens a loop whose turns each wait until the test ends them. */
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
  /** Resolves when the turn of that number (from 1) begins. */
  const turn = async (count: number): Promise<Turn> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ count, resolve })
    if (turns.length >= count) resolve()
    await promise
    return turns[count - 1]!
  }
  return { loop, turn, turns }
}
