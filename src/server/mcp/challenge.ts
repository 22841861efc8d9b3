import { ServiceError } from '#contract/errors.ts'
import { metadataUrl } from './address.ts'
import type { Resource } from './resource.ts'

/** RFC 6750 section 3, with `resource_metadata` of RFC 9728 section 5.1 where there are connectors. */
export function challengeOf(resource: Resource | undefined, error?: 'invalid_token' | 'insufficient_scope'): string {
  const parts = [
    ...(error ? [`error="${error}"`] : []),
    ...(resource ? [`resource_metadata="${metadataUrl(resource.url)}"`, `scope="${resource.scopes.join(' ')}"`] : []),
  ]
  return ['Bearer', parts.join(', ')].join(' ').trim()
}

/** A refused token, or none, with the way to another; any other fault stays as it is. */
export function withChallenge(error: unknown, resource: Resource | undefined, tokenSent: boolean): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'INVALID_TOKEN') return error
  const challenge = challengeOf(resource, tokenSent ? 'invalid_token' : undefined)
  return new ServiceError('INVALID_TOKEN', error.message, { challenge, cause: error })
}

export function insufficientScope(resource: Resource): ServiceError {
  const challenge = challengeOf(resource, 'insufficient_scope')
  return new ServiceError('FORBIDDEN', `needs the scope ${resource.scopes.join(' ')}`, { challenge })
}
