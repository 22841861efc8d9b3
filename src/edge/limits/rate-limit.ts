import { ServiceError } from '#contract/core/errors.ts'
import type { Operation, RateLimit } from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import type { KeyValueStore } from '#lib/kv/kv.ts'
import { addressBlock } from '#lib/net/address/address-block.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { RequestInfo } from '../route/route.ts'

export type Limiter = (info: RequestInfo, principal: Principal | null) => Promise<void>

/**
 * Creates a limiter that counts every request, in clock-aligned windows shared by all replicas. Returns undefined if
 * the operation has no such limit.
 */
export function createLimiter(op: Operation, deps: Deps): Limiter | undefined {
  const rateLimits = (op.rateLimits ?? []).filter(({ counts }) => counts === undefined)
  if (rateLimits.length === 0) return undefined
  return async (info, principal) => {
    for (const limit of rateLimits) {
      const retryAfterSeconds = await countOne(limit, subjectOf(limit, info, principal), deps)
      if (retryAfterSeconds !== undefined) throw rateLimited(limit, retryAfterSeconds)
    }
  }
}

/** Takes the status of an answer before it is sent. Throws RATE_LIMITED if the limit of failures is exceeded. */
export type AnswerLimiter = (status: number, info: RequestInfo, principal: Principal | null) => Promise<void>

/** Creates a limiter that counts failures only. Returns undefined if the operation has no such limit. */
export function createAnswerLimiter(op: Operation, deps: Deps): AnswerLimiter | undefined {
  const rateLimits = (op.rateLimits ?? []).filter(({ counts }) => counts === 'failures')
  if (rateLimits.length === 0) return undefined
  return async (status, info, principal) => {
    if (!isFailure(status)) return
    for (const limit of rateLimits) {
      const retryAfterSeconds = await countOne(limit, subjectOf(limit, info, principal), deps)
      if (retryAfterSeconds !== undefined) throw tooManyFailures(limit, retryAfterSeconds, status)
    }
  }
}

/** Whether an answer counts as a failure. A 429 does not, because the limit that caused it has counted it. */
function isFailure(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429
}

type Deps = { kv: KeyValueStore; clock: Clock }
type Window = Omit<RateLimit, 'per' | 'counts'>

/** Counts one request. Returns the seconds to wait if the limit is exceeded, otherwise undefined. */
async function countOne(limit: Window, subject: string, { kv, clock }: Deps): Promise<number | undefined> {
  const seconds = clock.now().getTime() / 1000
  const window = Math.floor(seconds / limit.windowSeconds)
  const count = await kv.count(`limit:${limit.name}:${subject}:${window}`, limit.windowSeconds)
  return count <= limit.limit ? undefined : Math.ceil((window + 1) * limit.windowSeconds - seconds)
}

function rateLimited({ limit, windowSeconds }: Window, retryAfterSeconds: number): ServiceError {
  const detail = `Limit reached: ${limit} in ${secondsText(windowSeconds)}. Try again in ${secondsText(retryAfterSeconds)}.`
  return new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds })
}

function tooManyFailures({ limit, windowSeconds }: Window, retryAfterSeconds: number, status: number): ServiceError {
  const detail =
    `Too many refused requests: ${limit} in ${secondsText(windowSeconds)}. ` +
    `A valid request is answered now, others after ${secondsText(retryAfterSeconds)}.`
  return new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds, ...(status === 401 && TOKEN_REFUSED) })
}

function subjectOf(limit: RateLimit, info: RequestInfo, principal: Principal | null): string {
  const id = limit.per === 'org' ? principal?.org_id : limit.per === 'principal' ? principal?.id : undefined
  return id ?? addressBlock(info.clientAddress)
}

/** Creates a limiter for a subject that only the handler knows, such as an email address. Throws RATE_LIMITED past it. */
export function createUseLimiter(limit: Window, deps: Deps): (subject: string) => Promise<void> {
  return async (subject) => {
    const retryAfterSeconds = await countOne(limit, subject, deps)
    if (retryAfterSeconds !== undefined) throw rateLimited(limit, retryAfterSeconds)
  }
}

/**
 * Counts a token that was looked up and refused, and throws RATE_LIMITED past the limit. Only failures are counted and
 * only failures are refused, so that a valid token keeps working at an address from which somebody else guesses.
 */
export type CountFailure = (address: string) => Promise<void>

export function createFailureLimiter(limit: Window, deps: Deps): CountFailure {
  return async (address) => {
    const retryAfterSeconds = await countOne(limit, addressBlock(address), deps)
    if (retryAfterSeconds === undefined) return
    const detail = `Too many invalid tokens from this address. Try again in ${secondsText(retryAfterSeconds)} with a valid one.`
    throw new ServiceError('RATE_LIMITED', detail, { retryAfterSeconds, ...TOKEN_REFUSED })
  }
}

/** Challenge of RFC 6750 section 3.1. On a 429 it means that the token was looked up and refused. */
const TOKEN_REFUSED = { challenge: 'Bearer error="invalid_token"' } as const

/** Whether a 429 was caused by an invalid token, not by too many requests with a valid one. */
export function isRefusedToken(response: Response): boolean {
  // The headers are read late, because an answer of this process makes them when they are first read.
  return response.status === 429 && response.headers.get('www-authenticate') === TOKEN_REFUSED.challenge
}
