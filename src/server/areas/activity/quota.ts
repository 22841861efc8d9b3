import { ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import type { Db } from '#lib/db/db.ts'
import {
  type KeyValueStore,
  type QuotaRefusal,
  type QuotaWindow,
  StoreUnavailable,
  type TakeResult,
} from '#lib/kv/kv.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'
import { joinTurns } from './fast/join-turns.ts'
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
  const join = joinTurns(async (orgId, usesOf) => {
    const now = clock.now()
    const limit = await limits.of(orgId)
    return { now, limit, result: await take(orgId, limit, now, usesOf()) }
  })
  return {
    routes: [setQuotaRoute({ db, clock, limits })],
    /** Counts one question of the organization. Throws RATE_LIMITED with the time to wait when a limit is reached. */
    spend: async (orgId: string): Promise<void> => {
      const { position, taking } = join(orgId)
      const { now, limit, result } = await taking
      if (result && position < result.taken) return
      const refusal = result ? result.refusal! : await takeWithoutStore({ kv, db }, orgId, limit, now)
      if (refusal === undefined) return
      if ('exhausted' in refusal && refusal.exhausted === 0)
        throw limitReached(limit.perMinute, 'minute', MINUTE_MS, now)
      throw limitReached(limit.perDay, 'day (UTC)', DAY_MS, now)
    },
  }
}

type Stores = { kv: KeyValueStore; db: Db }

/** Counts questions in the shared store. Resolves to undefined while the store does not answer. */
function createSharedTake(stores: Stores) {
  /** Keys of days whose shared count lacks questions, because they were asked while the store did not answer. */
  const undercounted = createBoundedCache<string, true>({ max: MAX_UNDERCOUNTED_DAYS })
  return async (orgId: string, limit: Limits, now: Date, uses: number): Promise<TakeResult | undefined> => {
    const { key } = dayOf(orgId, now)
    try {
      // Every question that arrives before the deletion is confirmed deletes too, so none uses the old count.
      if (undercounted.has(key)) await stores.kv.delete(key)
      undercounted.delete(key)
      return await takeShared(stores, orgId, limit, now, uses)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      undercounted.set(key, true)
      return undefined
    }
  }
}

/** Checks the minute before the day, so that questions refused for the minute do not count towards the day. */
async function takeShared(
  { kv, db }: Stores,
  orgId: string,
  limit: Limits,
  now: Date,
  uses: number,
): Promise<TakeResult> {
  const windows = (startCount: QuotaWindow['startCount']): QuotaWindow[] => [
    { ...minuteOf(orgId, now), limit: limit.perMinute, startCount: 0 },
    { ...dayOf(orgId, now), limit: limit.perDay, startCount },
  ]
  const result = await kv.take(windows('unknown'), uses)
  if (!result.refusal || 'exhausted' in result.refusal) return result
  // The day has just begun or the store lost its count, so the count starts from the recorded questions.
  return kv.take(windows(await countQuestions(db, orgId, { from: midnightOf(now), before: now, now })), uses)
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
