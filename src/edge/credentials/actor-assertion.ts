import { randomUUID } from 'node:crypto'
import { createHmacSha256, type HmacSha256 } from '#lib/crypto/hmac.ts'
import { isFor, readHs256, signHs256 } from '#lib/crypto/hs256.ts'
import { deriveKey } from '#lib/crypto/keys.ts'
import type { Clock } from '#lib/time/clock.ts'

/** Claims of the MCP server about the agent it serves, sent in place of the agent's own token. */
export type ActorClaims = {
  readonly grantId: string
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

export const ASSERTION_TYPE = 'actor+jwt'
/** The longest time an assertion is accepted. It is signed for less, because the clocks of two machines differ. */
export const ASSERTION_SECONDS = 60
const SIGNED_SECONDS = 50
const MAX_CLOCK_SKEW_SECONDS = 5
const ISSUER = 'mcp-server'

export type SignAssertion = (claims: ActorClaims, audience: string) => string

/** Signs assertions that are good for one service, once, for less than a minute. */
export function createAssertionSigner(secret: string, clock: Clock): SignAssertion {
  const hmac = hmacOf(secret)
  return ({ grantId, userId, clientId, scopes }, audience) => {
    const iat = Math.floor(clock.now().getTime() / 1000)
    const actor = { gid: grantId, sub: userId, client_id: clientId, scope: scopes.join(' ') }
    const bounds = { iss: ISSUER, aud: audience, jti: randomUUID(), iat, exp: iat + SIGNED_SECONDS }
    return signHs256({ ...actor, ...bounds }, ASSERTION_TYPE, hmac)
  }
}

type ReadAssertion = (token: string, audience: string) => (ActorClaims & { id: string }) | undefined

/** Returns undefined for anything but an assertion for this audience that is good now. Does not check for reuse. */
export function createAssertionReader(secret: string, clock: Clock): ReadAssertion {
  const hmac = hmacOf(secret)
  return (token, audience) => {
    const claims = readHs256(token, ASSERTION_TYPE, hmac)
    const now = clock.now().getTime() / 1000
    if (!claims || !isFor(claims, { issuer: ISSUER, audience, now, clockSeconds: MAX_CLOCK_SKEW_SECONDS }))
      return undefined
    const { sub, gid, client_id, scope, jti, iat, exp } = claims
    const texts = [gid, client_id, scope, jti]
    if (typeof iat !== 'number' || texts.some((text) => typeof text !== 'string')) return undefined
    const [grantId, clientId, scopes, id] = texts as [string, string, string, string]
    const age = now - iat
    if (age < -MAX_CLOCK_SKEW_SECONDS || age > ASSERTION_SECONDS + MAX_CLOCK_SKEW_SECONDS) return undefined
    if ((exp as number) - iat > ASSERTION_SECONDS) return undefined
    return { id, grantId, userId: sub as string, clientId, scopes: scopes.split(' ') }
  }
}

function hmacOf(secret: string): HmacSha256 {
  return createHmacSha256(deriveKey(Buffer.from(secret, 'hex'), 'actor-assertion'))
}
