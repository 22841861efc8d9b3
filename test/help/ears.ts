import { onTestFinished } from 'vitest'
import type { Db } from '#lib/db/db.ts'

/** Listens until the test ends. */
export async function hear(db: Db, channel: string) {
  const ears = openEars()
  const listening = await db.listen(channel, ears.onNotify)
  onTestFinished(() => listening[Symbol.asyncDispose]())
  return ears
}

/** Collects what a listener is told; `until` waits for it to have been told so often. */
export function openEars() {
  const heard: string[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  return {
    heard,
    onNotify: (payload: string) => {
      heard.push(payload)
      for (const { count, resolve } of waiting) if (heard.length >= count) resolve()
    },
    until: async (count: number): Promise<string[]> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count, resolve })
      if (heard.length >= count) resolve()
      await promise
      return heard
    },
  }
}
