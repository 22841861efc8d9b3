import { ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import type { Db } from '#lib/db/db.ts'
import { type KeyValueStore, type QuotaRefusal, type QuotaWindow, StoreUnavailable } from '#lib/kv/kv.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'
import { createLimits, type Limits } from './limits.ts'
import { countQuestions } from './quota-store.ts'
import { setQuotaRoute } from './set-quota.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Later than any question. */
const FAR_FUTURE = new Date('9999-01-01T00:00:00Z')
const MAX_UNDERCOUNTED_DAYS = 10_000

export type QuotaDeps = Limits & { kv: KeyValueStore; db: Db; clock: Clock }

/** Limits questions by minute and by day (UTC). All replicas share one count. */
export function createQuota({ kv, db, clock, perMinute, perDay }: QuotaDeps) {
  const limits = createLimits({ db, clock, perMinute, perDay })
  const take = createSharedTake({ kv, db })
  return {
    routes: [setQuotaRoute({ db, clock, limits })],
    /** Counts one question of the organization. Throws RATE_LIMITED with the time to wait when a limit is reached. */
    spend: async (orgId: string): Promise<void> => {
      const now = clock.now()
      const limit = await limits.of(orgId)
      const result = await take(orgId, limit, now)
      const refusal = result === 'unavailable' ? await takeWithoutStore({ kv, db }, orgId, limit, now) : result
      if (refusal === undefined) return
      if ('exhausted' in refusal && refusal.exhausted === 0)
        throw limitReached(limit.perMinute, 'minute', MINUTE_MS, now)
      throw limitReached(limit.perDay, 'day (UTC)', DAY_MS, now)
    },
  }
}

type Stores = { kv: KeyValueStore; db: Db }

/** Counts a question in the shared store. Resolves to `unavailable` while the store does not answer. */
function createSharedTake(stores: Stores) {
  /** Keys of days whose shared count lacks questions, because they were asked while the store did not answer. */
  const undercounted = createBoundedCache<string, true>({ max: MAX_UNDERCOUNTED_DAYS })
  return async (orgId: string, limit: Limits, now: Date): Promise<QuotaRefusal | 'unavailable' | undefined> => {
    const { key } = dayOf(orgId, now)
    try {
      // Every question that arrives before the deletion is confirmed deletes too, so none uses the old count.
      if (undercounted.has(key)) await stores.kv.delete(key)
      undercounted.delete(key)
      return await takeShared(stores, orgId, limit, now)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      undercounted.set(key, true)
      return 'unavailable'
    }
  }
}

/** Checks the minute before the day, so that questions refused for the minute do not count towards the day. */
async function takeShared(
  { kv, db }: Stores,
  orgId: string,
  limit: Limits,
  now: Date,
): Promise<QuotaRefusal | undefined> {
  const windows = (startCount: QuotaWindow['startCount']): QuotaWindow[] => [
    { ...minuteOf(orgId, now), limit: limit.perMinute, startCount: 0 },
    { ...dayOf(orgId, now), limit: limit.perDay, startCount },
  ]
  const refusal = await kv.take(windows('unknown'))
  if (!refusal || 'exhausted' in refusal) return refusal
  // The day has just begun or the store lost its count, so the count starts from the recorded questions.
  return kv.take(windows(await countQuestions(db, orgId, { from: midnightOf(now), before: now, now })))
}

/** Used while the shared store does not answer: counts the minute per process and the day from the recorded questions. */
async function takeWithoutStore(
  { kv, db }: Stores,
  orgId: string,
  limit: Limits,
  now: Date,
): Promise<QuotaRefusal | undefined> {
  const { key, seconds } = minuteOf(orgId, now)
  if ((await kv.count(key, seconds)) > limit.perMinute) return { exhausted: 0 }
  const today = await countQuestions(db, orgId, { from: midnightOf(now), before: FAR_FUTURE, now })
  return today < limit.perDay ? undefined : { exhausted: 1 }
}

/** The key lives for two minutes, because a question that began in the last moment may be counted a little later. */
function minuteOf(orgId: string, now: Date) {
  return {
    key: `questions:{${orgId}}:minute:${Math.floor(now.getTime() / MINUTE_MS)}`,
    seconds: (2 * MINUTE_MS) / 1000,
  }
}

function dayOf(orgId: string, now: Date) {
  return { key: `questions:{${orgId}}:day:${Math.floor(now.getTime() / DAY_MS)}`, seconds: DAY_MS / 1000 }
}

function midnightOf(now: Date): Date {
  return new Date(now.getTime() - (now.getTime() % DAY_MS))
}

function limitReached(limit: number, span: string, spanMs: number, now: Date): ServiceError {
  const retryAfterSeconds = Math.ceil((spanMs - (now.getTime() % spanMs)) / 1000)
  const detail = `Question limit reached: ${limit} per ${span} for this organization. Try again in ${secondsText(retryAfterSeconds)}.`
  return new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds })
}
