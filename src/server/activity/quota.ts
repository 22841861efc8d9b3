import { ServiceError } from '#contract/errors.ts'
import type { Route } from '#edge/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import type { KeyValueStore } from '#lib/kv.ts'
import { createDayCounter } from './day-counter.ts'
import { createLimits, type Limits } from './limits.ts'
import { setQuotaRoute } from './set-quota.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

export type Quota = {
  readonly routes: readonly Route[]
  /** Spends one question of the organization, or refuses it and says when to come again. */
  spend(orgId: string): Promise<void>
}

type Deps = Limits & { kv: KeyValueStore; db: Db; clock: Clock }

/** Minutes and days are those of the clock, in UTC, and shared by all replicas. */
export function createQuota({ kv, db, clock, ...defaults }: Deps): Quota {
  const limits = createLimits({ db, clock, ...defaults })
  const day = createDayCounter({ kv, db })
  return {
    routes: [setQuotaRoute({ db, clock, limits })],
    spend: async (orgId) => {
      const now = clock.now()
      const { perMinute, perDay } = await limits.of(orgId)
      const minute = Math.floor(now.getTime() / MINUTE_MS)
      // The day is looked at meanwhile, and spent only if the minute lets it pass: a hasty agent must not use up the
      // day with refusals.
      const [inMinute, today] = await Promise.all([
        kv.count(`questions:minute:${orgId}:${minute}`, MINUTE_MS / 1000),
        day.look(orgId, now),
      ])
      if (inMinute > perMinute) throw refusal(perMinute, 'minute', MINUTE_MS, now)
      if (!(await today.spend(perDay))) throw refusal(perDay, 'day (UTC)', DAY_MS, now)
    },
  }
}

function refusal(limit: number, span: string, spanMs: number, now: Date): ServiceError {
  const retryAfterSeconds = Math.ceil((spanMs - (now.getTime() % spanMs)) / 1000)
  const detail = `the organization may ask ${limit} questions a ${span}, and has`
  return new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds })
}
