import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from './clock.ts'
import { deriveKey } from './keys.ts'

/** What the MCP server says of the agent it serves, in place of the agent's own token. */
export type ActorClaims = {
  readonly grantId: string
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

export const ASSERTION_TYPE = 'actor+jwt'
/** The longest one is believed. It is signed for less: the clocks of two machines are never the same. */
export const ASSERTION_SECONDS = 60
const SIGNED_SECONDS = 50
const CLOCK_SECONDS = 5
const ISSUER = 'mcp-server'

export type SignAssertion = (claims: ActorClaims, audience: string) => Promise<string>

/** Good for one service, once, for a minute. */
export function createAssertionSigner(secret: string, clock: Clock): SignAssertion {
  const key = keyOf(secret)
  return ({ grantId, userId, clientId, scopes }, audience) => {
    const now = Math.floor(clock.now().getTime() / 1000)
    return new SignJWT({ gid: grantId, client_id: clientId, scope: scopes.join(' ') })
      .setProtectedHeader({ alg: 'HS256', typ: ASSERTION_TYPE })
      .setIssuer(ISSUER)
      .setSubject(userId)
      .setAudience(audience)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + SIGNED_SECONDS)
      .sign(key)
  }
}

export type ReadAssertion = (token: string, audience: string) => Promise<(ActorClaims & { id: string }) | undefined>

/** Undefined for anything that is not an assertion for this audience, good now. Whether it was seen before, others ask. */
export function createAssertionReader(secret: string, clock: Clock): ReadAssertion {
  const key = keyOf(secret)
  return async (token, audience) => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        typ: ASSERTION_TYPE,
        issuer: ISSUER,
        audience,
        requiredClaims: ['sub', 'gid', 'client_id', 'scope', 'jti', 'iat', 'exp'],
        maxTokenAge: ASSERTION_SECONDS,
        clockTolerance: CLOCK_SECONDS,
        currentDate: clock.now(),
      })
      if (payload.exp! - payload.iat! > ASSERTION_SECONDS) return undefined
      return {
        id: payload.jti!,
        grantId: String(payload.gid),
        userId: payload.sub!,
        clientId: String(payload.client_id),
        scopes: String(payload.scope).split(' '),
      }
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}

function keyOf(secret: string): Buffer {
  return deriveKey(Buffer.from(secret, 'hex'), 'actor-assertion')
}
