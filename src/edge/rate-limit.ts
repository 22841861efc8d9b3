import { ServiceError } from '#contract/errors.ts'
import type { Operation, RateLimit } from '#contract/operation.ts'
import type { Principal } from '#contract/principal.ts'
import type { Clock } from '#lib/clock.ts'
import type { KeyValueStore } from '#lib/kv.ts'
import { addressBlock } from '#lib/net/address-block.ts'
import type { RequestInfo } from './route.ts'

export type Limiter = (info: RequestInfo, principal: Principal | null) => Promise<void>

/** Counts in windows that begin on the clock, shared by all replicas. Undefined when nothing is limited. */
export function createLimiter(op: Operation, deps: { kv: KeyValueStore; clock: Clock }): Limiter | undefined {
  const { rateLimits = [] } = op
  if (rateLimits.length === 0) return undefined
  return async (info, principal) => {
    for (const limit of rateLimits) await countOne(limit, subjectOf(limit, info, principal), deps)
  }
}

async function countOne(limit: RateLimit, subject: string, { kv, clock }: { kv: KeyValueStore; clock: Clock }) {
  const seconds = clock.now().getTime() / 1000
  const window = Math.floor(seconds / limit.windowSeconds)
  const count = await kv.count(`limit:${limit.name}:${subject}:${window}`, limit.windowSeconds)
  if (count <= limit.limit) return
  const retryAfterSeconds = Math.ceil((window + 1) * limit.windowSeconds - seconds)
  throw new ServiceError('RATE_LIMITED', `at most ${limit.limit} in ${limit.windowSeconds} seconds; wait`, {
    retryAfterSeconds,
  })
}

function subjectOf(limit: RateLimit, info: RequestInfo, principal: Principal | null): string {
  const who = limit.per === 'org' ? principal?.org_id : limit.per === 'principal' ? principal?.id : undefined
  return who ?? addressBlock(info.clientAddress)
}

/** Counts only what failed; past the limit even the right answer waits, or guessing would go on. */
export type FailureLimiter = { refuseIfSpent(address: string): Promise<void>; count(address: string): Promise<void> }

export function createFailureLimiter(
  limit: Omit<RateLimit, 'per'>,
  { kv, clock }: { kv: KeyValueStore; clock: Clock },
): FailureLimiter {
  const keyOf = (address: string) => {
    const window = Math.floor(clock.now().getTime() / 1000 / limit.windowSeconds)
    return `limit:${limit.name}:${addressBlock(address)}:${window}`
  }
  return {
    refuseIfSpent: async (address) => {
      if (Number((await kv.get(keyOf(address))) ?? 0) < limit.limit) return
      throw new ServiceError('RATE_LIMITED', 'too many failed attempts from this address; wait', {
        retryAfterSeconds: limit.windowSeconds - ((clock.now().getTime() / 1000) % limit.windowSeconds),
      })
    },
    count: async (address) => {
      await kv.count(keyOf(address), limit.windowSeconds)
    },
  }
}
