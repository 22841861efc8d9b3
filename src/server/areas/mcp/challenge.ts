import { ServiceError } from '#contract/core/errors.ts'
import { metadataUrl } from './address.ts'
import type { Resource } from './resource.ts'

/** Writes a challenge (RFC 6750 section 3), with `resource_metadata` (RFC 9728 section 5.1) where agents can connect. */
function challengeOf(resource: Resource | undefined, error?: 'invalid_token' | 'insufficient_scope'): string {
  const parts = [
    ...(error ? [`error="${error}"`] : []),
    ...(resource ? [`resource_metadata="${metadataUrl(resource.url)}"`, `scope="${resource.scopes.join(' ')}"`] : []),
  ]
  return ['Bearer', parts.join(', ')].join(' ').trim()
}

/** Adds a challenge to a refusal for a missing or bad token, also to a 429 for too many of them. Leaves other errors as they are. */
export function withChallenge(error: unknown, resource: Resource | undefined, tokenSent: boolean): unknown {
  if (!(error instanceof ServiceError)) return error
  const { code, message, challenge: given, retryAfterSeconds } = error
  const isTooMany = code === 'RATE_LIMITED' && given !== undefined
  if (code !== 'INVALID_TOKEN' && !isTooMany) return error
  const challenge = challengeOf(resource, tokenSent ? 'invalid_token' : undefined)
  const retryAfter = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return new ServiceError(code, message, { challenge, cause: error, ...retryAfter })
}

export function insufficientScope(resource: Resource): ServiceError {
  const challenge = challengeOf(resource, 'insufficient_scope')
  return new ServiceError('FORBIDDEN', `This endpoint needs the scope ${resource.scopes.join(' ')}.`, { challenge })
}
