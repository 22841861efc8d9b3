import type { Querier } from '#lib/db/db.ts'
import type { KeyValueStore } from '#lib/kv.ts'
import { countQuestions } from './quota-store.ts'

const DAY_SECONDS = 24 * 60 * 60

/** Counts in the shared store, on top of what the records say was asked before the count began. */
export function createDayCounter({ kv, db }: { kv: KeyValueStore; db: Querier }) {
  return {
    /** How the day stands; nothing is spent by looking. */
    look: async (orgId: string, now: Date) => {
      const midnight = new Date(now.getTime() - (now.getTime() % (DAY_SECONDS * 1000)))
      const key = `questions:day:${orgId}:${midnight.toISOString().slice(0, 10)}`
      const [count, base, isShared] = await Promise.all([kv.get(key), kv.get(`${key}:before`), answers(kv)])
      return {
        /** False, and nothing spent, when the day has no more. */
        spend: async (limit: number): Promise<boolean> => {
          if (!isShared) return (await countQuestions(db, orgId, midnight, FAR)) < limit
          const before = count === undefined ? await begin(key, orgId, midnight, now) : Number(base ?? 0)
          if (before + Number(count ?? 0) >= limit) return false
          return before + (await kv.count(key, DAY_SECONDS)) <= limit
        },
      }
    },
  }

  /** The day is new, or the store lost its count. Who began before `now` is in the records and not in the new count. */
  async function begin(key: string, orgId: string, midnight: Date, now: Date): Promise<number> {
    const before = await countQuestions(db, orgId, midnight, now)
    if (before > 0) await kv.set(`${key}:before`, String(before), DAY_SECONDS)
    return before
  }
}

const FAR = new Date('9999-01-01T00:00:00Z')

/** Counts go on in the process while the shared store is away, each by itself; then only the records know the day. */
async function answers(kv: KeyValueStore): Promise<boolean> {
  return kv.ping().then(
    () => true,
    () => false,
  )
}
