import type { JWTPayload } from 'jose'
import { TokenRefusal } from './token-refusal.ts'

/** The claims of an identity assertion that count, after its signature was checked. */
export type Assertion = {
  readonly subject: string
  readonly resource: string
  readonly scope: string | null
  readonly id: string
  readonly expiresAt: Date
}

/** The party that an assertion has to be for. */
type Expected = {
  readonly issuer: string
  readonly audience: string
  readonly client_id: string
  readonly org_id: string
  readonly now: Date
}

/** The clocks of the provider and of the machines that svc runs on differ by up to this. */
export const CLOCK_SECONDS = 60
/** An assertion is exchanged at once. Its id has to be remembered for as long as it is valid. */
const MAX_LIFETIME_SECONDS = 600
const MAX_ID_LENGTH = 255

/**
 * Checks the claims of an identity assertion (draft-ietf-oauth-identity-assertion-authz-grant). Throws TokenRefusal with
 * the first one that is wrong.
 */
export function readAssertion(claims: JWTPayload, expected: Expected): Assertion {
  const now = Math.floor(expected.now.getTime() / 1000)
  const { iss, aud, sub, jti, exp, iat, nbf = 0, client_id, resource, scope = null } = claims
  if (iss !== expected.issuer) throw invalid('its issuer is not trusted')
  if (onlyText(aud) !== expected.audience) throw invalid('it is for another audience')
  if (client_id !== expected.client_id) throw invalid('it is for another client')
  if ('aud_tenant' in claims && claims.aud_tenant !== expected.org_id) throw invalid('it is for another organization')
  // With `cnf` the sender must also prove that they hold a key. Such proofs are not checked here.
  if ('cnf' in claims) throw invalid('it is bound to a key')
  // They may allow less than the scopes do, and are not understood here.
  if ('authorization_details' in claims) throw invalid('it limits the access by authorization_details')
  if (typeof sub !== 'string' || sub === '' || sub.includes('\0')) throw invalid('it names no subject')
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) throw invalid('it has no id')
  if (typeof exp !== 'number' || typeof iat !== 'number' || typeof nbf !== 'number') throw invalid('it has no times')
  if (exp <= now) throw invalid('it has expired')
  if (iat > now + CLOCK_SECONDS || nbf > now + CLOCK_SECONDS) throw invalid('it is not valid yet')
  if (exp - iat > MAX_LIFETIME_SECONDS || exp > now + MAX_LIFETIME_SECONDS + CLOCK_SECONDS) {
    throw invalid(`it is valid for more than ${MAX_LIFETIME_SECONDS / 60} minutes`)
  }
  const target = onlyText(resource)
  if (target === undefined) throw new TokenRefusal('invalid_target', 'the assertion must name one resource')
  if (scope !== null && typeof scope !== 'string') throw invalid('its scope is no text')
  // An absent scope leaves the choice to us; an empty one allows nothing.
  if (scope?.trim() === '') throw new TokenRefusal('invalid_scope', 'the assertion allows no scope')
  return { subject: sub, resource: target, scope, id: jti, expiresAt: new Date(exp * 1000) }
}

/** Returns the text, or the only text of a list. */
function onlyText(value: unknown): string | undefined {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  return typeof only === 'string' ? only : undefined
}

function invalid(why: string): TokenRefusal {
  return new TokenRefusal('invalid_grant', `the assertion is not accepted: ${why}`)
}
