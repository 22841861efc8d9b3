import { ServiceError } from '#contract/core/errors.ts'
import { PRINCIPAL_CACHE_SECONDS } from '#contract/core/limits.ts'
import type { Principal } from '#contract/core/principal.ts'
import { jwtType } from '#lib/crypto/jwt-type.ts'
import { type BoundedCache, createBoundedCache, loadOnce } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { CheckedCallers } from '../fast/checked-callers.ts'
import type { CountFailure } from '../limits/rate-limit.ts'
import type { RequestInfo } from '../route/route.ts'
import { ASSERTION_TYPE } from './actor-assertion.ts'
import { readCookie } from './cookies.ts'

/** Asks the auth service whose token it is. Throws INVALID_TOKEN, or UNAVAILABLE when auth cannot be asked. */
export type ValidateToken = (token: string, info: RequestInfo) => Promise<Principal>

/** Principals of validated tokens, by audience and token. One per process, so that a revocation can clear all of them. */
export type PrincipalCache = BoundedCache<string, Promise<Principal>>

const MAX_CACHED_PRINCIPALS = 10_000

export function createPrincipalCache(clock: Clock): PrincipalCache {
  return createBoundedCache({ max: MAX_CACHED_PRINCIPALS, ttl: { ms: PRINCIPAL_CACHE_SECONDS * 1000, clock } })
}

export type ResolveCaller = (request: Request, info: RequestInfo) => Promise<Principal>

type ResolverDeps = {
  /** The service that asks. A token that is good for one service need not be good for another. */
  audience: string
  /** Names of the cookies a session is read from when there is no `Authorization` header. */
  cookies?: readonly string[]
  validate: ValidateToken
  /** Called with the end client's address for each token that is refused. */
  countFailure: CountFailure
  /** Without it auth is asked at every call. */
  cache?: PrincipalCache
  /** Callers whom auth has just found for another service of this process. */
  checkedCallers?: CheckedCallers
  clock: Clock
}

/** Looks the token up first and counts it only when it is refused, so that a good token is never rate limited here. */
export function createCallerResolver(deps: ResolverDeps): ResolveCaller {
  return async (request, info) => {
    const token = tokenOf(request, deps.cookies ?? [])
    if (token === undefined) throw notSignedIn()
    const checked = deps.checkedCallers?.take(request, deps.audience)
    if (checked) return checked
    try {
      const principal = await findPrincipal(deps, token, info)
      refuseExpired(principal, deps.clock)
      return principal
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'INVALID_TOKEN') await deps.countFailure(info.clientAddress)
      throw error
    }
  }
}

function findPrincipal(deps: ResolverDeps, token: string, info: RequestInfo): Promise<Principal> {
  // An assertion is good for one call, so two requests that bring the same one must not share an answer.
  const isSingleUse = jwtType(token) === ASSERTION_TYPE
  const { cache } = deps
  return isSingleUse || !cache ? deps.validate(token, info) : validateOnce(deps, cache, token, info)
}

function refuseExpired({ expires_at }: Principal, clock: Clock): void {
  if (expires_at !== null && Date.parse(expires_at) <= clock.now().getTime()) throw invalidToken()
}

/**
 * Asks the auth service, or takes its answer of the last seconds. Refusals are not cached, because a token may be made a
 * moment later, and agents are not, because whether their grant still stands is asked at every call.
 */
function validateOnce(
  { audience, validate }: ResolverDeps,
  cache: PrincipalCache,
  token: string,
  info: RequestInfo,
): Promise<Principal> {
  const isCacheable = ({ kind }: Principal) => kind !== 'agent'
  return loadOnce(cache, `${audience} ${token}`, () => validate(token, info), isCacheable)
}

/** Returns the token of the `Authorization` header, or of a cookie only when there is no such header at all. */
export function tokenOf(request: Request, cookies: readonly string[]): string | undefined {
  const header = request.headers.get('authorization')
  return header === null ? readCookie(request, cookies) : bearerIn(header)
}

export function calledByCookie(request: Request): boolean {
  return !request.headers.has('authorization')
}

export function bearerOf(request: Request): string | undefined {
  const header = request.headers.get('authorization')
  return header === null ? undefined : bearerIn(header)
}

function bearerIn(header: string): string | undefined {
  return /^Bearer ([\w.~+/=-]+)$/i.exec(header)?.[1]
}

/** The refusal of a token. Unknown, revoked and expired tokens get the same text, so that it helps nobody to guess. */
export function invalidToken(cause?: unknown): ServiceError {
  return new ServiceError('INVALID_TOKEN', 'Invalid or expired API token', cause === undefined ? {} : { cause })
}

function notSignedIn(): ServiceError {
  return new ServiceError(
    'INVALID_TOKEN',
    'No API token was sent. Send the header `Authorization: Bearer <API token>`.',
  )
}
