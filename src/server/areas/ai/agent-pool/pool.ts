import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { dayIn } from '#lib/time/day.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { AgentPool, CountPoolTokens } from '#ports/agent-pool.ts'
import { beginCurrentDay, currentDay, type TimezoneOf } from './current-day.ts'
import { bookLostReservations, countTokens, deleteDaysBefore, insertReservation, settleReservation } from './store.ts'

/** Longer than any call can take, so that only a crash loses a reservation. */
const LIFETIME_SECONDS = 2 * 60 * 60
const BOOK_LOST_EVERY_MS = 5 * 60_000
const RETENTION_DAYS = 90
const DAY_MS = 24 * 60 * 60_000

type PoolOptions = {
  db: Querier
  clock: Clock
  /** Tokens of an organization and day. */
  limit: number
  /** Returns the IANA timezone in which the organization's days begin. */
  timezoneOf: TimezoneOf
  lifetimeSeconds?: number
}

export function createAgentPool(options: PoolOptions): AgentPool & { readonly remaining: CountPoolTokens } {
  const { db, clock, limit, timezoneOf, lifetimeSeconds = LIFETIME_SECONDS } = options
  return {
    reserve: async ({ orgId, spender, reference, tokens }, tx) => {
      if (tokens > limit) return 'exhausted'
      const within: Querier = tx ?? db
      const { day } = await beginCurrentDay(within, { orgId, timezoneOf, now: clock.now() })
      const entry = { orgId, day, spender, reference, tokens }
      const id = await insertReservation(within, entry, { limit, lifetimeSeconds })
      return id === undefined ? 'exhausted' : { id, tokens }
    },
    settle: ({ id }, served, tx) => settleReservation(tx ?? db, id, served),
    remaining: async (orgId) => {
      const { day } = await currentDay(db, { orgId, timezoneOf, now: clock.now() })
      return Math.max(0, limit - (await countTokens(db, orgId, day)))
    },
  }
}

export function agentPoolLoop({ db }: { db: Querier }): Loop {
  return {
    name: 'agent-pool',
    leader: true,
    tick: async (now) => {
      await bookLostReservations(db)
      await deleteDaysBefore(db, dayIn('UTC', new Date(now.getTime() - RETENTION_DAYS * DAY_MS)))
      return new Date(now.getTime() + BOOK_LOST_EVERY_MS)
    },
  }
}
