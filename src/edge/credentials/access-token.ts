import { randomUUID } from 'node:crypto'
import { createHmacSha256 } from '#lib/crypto/hmac.ts'
import { isFor, readHs256, signHs256 } from '#lib/crypto/hs256.ts'
import { deriveKey } from '#lib/crypto/keys.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { ActorClaims } from './actor-assertion.ts'

export const ACCESS_TOKEN_TYPE = 'at+jwt'
export const ACCESS_TOKEN_SECONDS = 10 * 60

/** Derives the key of agents' access tokens, so that nothing else signed with the same secret can pass for one. */
export function accessTokenKey(jwtSecret: string): Buffer {
  return deriveKey(Buffer.from(jwtSecret, 'hex'), 'connector-access-token')
}

type NewToken = Expected & ActorClaims & { readonly now: Date }

/** Creates the maker of access tokens, for those that the OAuth library does not issue. */
export function createAccessTokenMaker(jwtSecret: string): (token: NewToken) => string {
  const hmac = createHmacSha256(accessTokenKey(jwtSecret))
  return ({ issuer, resource, grantId, userId, clientId, scopes, now }) => {
    const iat = Math.floor(now.getTime() / 1000)
    const claims = {
      iss: issuer,
      aud: resource,
      sub: userId,
      client_id: clientId,
      gid: grantId,
      scope: scopes.join(' '),
      jti: randomUUID(),
      iat,
      exp: iat + ACCESS_TOKEN_SECONDS,
    }
    return signHs256(claims, ACCESS_TOKEN_TYPE, hmac)
  }
}

type AccessToken = ActorClaims & { readonly expiresAt: Date }

type Expected = { issuer: string; resource: string }
export type ReadAccessToken = (token: string, expected: Expected) => AccessToken | 'forged' | undefined

/**
 * Creates the reader of access tokens. It returns `forged` for a token that was not signed with our key, and undefined
 * for one that was but is not good now for that issuer and resource.
 */
export function createAccessTokenReader(jwtSecret: string, clock: Clock): ReadAccessToken {
  const hmac = createHmacSha256(accessTokenKey(jwtSecret))
  return (token, { issuer, resource: audience }) => {
    const claims = readHs256(token, ACCESS_TOKEN_TYPE, hmac)
    if (!claims) return 'forged'
    if (!isFor(claims, { issuer, audience, now: clock.now().getTime() / 1000 })) return undefined
    const { sub, gid, client_id, scope = '', exp } = claims
    if (typeof gid !== 'string' || typeof client_id !== 'string' || typeof scope !== 'string') return undefined
    return {
      grantId: gid,
      userId: sub as string,
      clientId: client_id,
      scopes: scope.split(' ').filter((one) => one !== ''),
      expiresAt: new Date((exp as number) * 1000),
    }
  }
}
