import { onTestFinished } from 'vitest'
import type { Db } from '#lib/db/db.ts'

/** Listens on a channel until the test ends and collects its notifications. */
export async function listenUntilTestEnds(db: Db, channel: string) {
  const notifications = collectNotifications()
  const listening = await db.listen(channel, notifications.onNotify)
  onTestFinished(() => listening[Symbol.asyncDispose]())
  return notifications
}

/** Collects notifications. `until(count)` waits until there are at least `count`. */
export function collectNotifications() {
  const received: string[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  return {
    received,
    onNotify: (payload: string) => {
      received.push(payload)
      for (const { count, resolve } of waiting) if (received.length >= count) resolve()
    },
    until: async (count: number): Promise<string[]> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count, resolve })
      if (received.length >= count) resolve()
      await promise
      return received
    },
  }
}
