import { ServiceError } from '#contract/errors.ts'
import type { Operation, RateLimit } from '#contract/operation.ts'
import type { Principal } from '#contract/principal.ts'
import type { Clock } from '#lib/clock.ts'
import type { KeyValueStore } from '#lib/kv.ts'
import { addressBlock } from '#lib/net/address-block.ts'
import type { RequestInfo } from './route.ts'

export type Limiter = (info: RequestInfo, principal: Principal | null) => Promise<void>

/** Counts in windows that start on the clock and are shared by all replicas. Undefined when nothing is limited. */
export function createLimiter(op: Operation, deps: Deps): Limiter | undefined {
  const { rateLimits = [] } = op
  if (rateLimits.length === 0) return undefined
  return async (info, principal) => {
    for (const limit of rateLimits) {
      const retryAfterSeconds = await countOne(limit, subjectOf(limit, info, principal), deps)
      if (retryAfterSeconds !== undefined) throw rateLimited(limit, retryAfterSeconds)
    }
  }
}

type Deps = { kv: KeyValueStore; clock: Clock }
type Window = Omit<RateLimit, 'per'>

/** Counts one. Answers how many seconds to wait when the limit is passed, undefined when it is not. */
async function countOne(limit: Window, subject: string, { kv, clock }: Deps): Promise<number | undefined> {
  const seconds = clock.now().getTime() / 1000
  const window = Math.floor(seconds / limit.windowSeconds)
  const count = await kv.count(`limit:${limit.name}:${subject}:${window}`, limit.windowSeconds)
  return count <= limit.limit ? undefined : Math.ceil((window + 1) * limit.windowSeconds - seconds)
}

function rateLimited({ limit, windowSeconds }: Window, retryAfterSeconds: number): ServiceError {
  const detail = `Limit reached: ${limit} in ${windowSeconds} seconds. Try again in ${retryAfterSeconds} seconds.`
  return new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds })
}

function subjectOf(limit: RateLimit, info: RequestInfo, principal: Principal | null): string {
  const who = limit.per === 'org' ? principal?.org_id : limit.per === 'principal' ? principal?.id : undefined
  return who ?? addressBlock(info.clientAddress)
}

/**
 * Counts a token that was looked up and refused, and throws RATE_LIMITED past the limit. Only failures are counted and
 * only failures are refused: a good token keeps working behind an address from which somebody else guesses.
 */
export type CountFailure = (address: string) => Promise<void>

export function createFailureLimiter(limit: Window, deps: Deps): CountFailure {
  return async (address) => {
    const retryAfterSeconds = await countOne(limit, addressBlock(address), deps)
    if (retryAfterSeconds === undefined) return
    const detail = `Too many invalid tokens from this address. Try again in ${retryAfterSeconds} seconds with a valid one.`
    throw new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds, challenge: REFUSED_TOKEN })
  }
}

/** RFC 6750 section 3.1. On a 429 it says that the token was looked up and refused. */
const REFUSED_TOKEN = 'Bearer error="invalid_token"'

/** Whether a 429 is about a refused token, and not about too many requests of a good one. */
export function isRefusedToken({ status, headers }: Response): boolean {
  return status === 429 && headers.get('www-authenticate') === REFUSED_TOKEN
}
