import type { Querier } from '#lib/db/db.ts'
import { type LimitDay, limitDay } from '#lib/time/day.ts'
import { findLastDay, insertDay } from './store.ts'

export type TimezoneOf = (orgId: string, db: Querier) => Promise<string>
type Spender = { readonly orgId: string; readonly timezoneOf: TimezoneOf; readonly now: Date }

/** Returns the day whose tokens the organization uses now. It may not have begun: nothing is stored. */
export async function currentDay(db: Querier, spender: Spender): Promise<LimitDay> {
  return (await findDays(db, spender)).current
}

/** As `currentDay`, and begins the day if this is the first reservation of it. */
export async function beginCurrentDay(db: Querier, spender: Spender): Promise<LimitDay> {
  for (;;) {
    const { last, current } = await findDays(db, spender)
    if (current.day === last?.day) return current
    await insertDay(db, { orgId: spender.orgId, ...current, former: last?.day })
  }
}

async function findDays(db: Querier, { orgId, timezoneOf, now }: Spender) {
  const last = await findLastDay(db, orgId)
  return { last, current: limitDay(last, await timezoneOf(orgId, db), now) }
}
