import { errors, jwtVerify } from 'jose'
import type { Clock } from './clock.ts'
import { deriveKey } from './keys.ts'

export const ACCESS_TOKEN_TYPE = 'at+jwt'
export const ACCESS_TOKEN_SECONDS = 10 * 60

/** Derived, so that nothing else signed with the same secret can pass for a connector's access token. */
export function accessTokenKey(jwtSecret: string): Buffer {
  return deriveKey(Buffer.from(jwtSecret, 'hex'), 'connector-access-token')
}

export type AccessToken = {
  readonly grantId: string
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date
}

type Expected = { issuer: string; resource: string }
export type ReadAccessToken = (token: string, expected: Expected) => Promise<AccessToken | undefined>

/** Undefined for anything that is not an access token of that issuer for that resource, good now. */
export function createAccessTokenReader(jwtSecret: string, clock: Clock): ReadAccessToken {
  const key = accessTokenKey(jwtSecret)
  return async (token, { issuer, resource }) => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        typ: ACCESS_TOKEN_TYPE,
        issuer,
        audience: resource,
        requiredClaims: ['sub', 'gid', 'client_id', 'exp'],
        currentDate: clock.now(),
      })
      return {
        grantId: String(payload.gid),
        userId: payload.sub!,
        clientId: String(payload.client_id),
        scopes: (typeof payload.scope === 'string' ? payload.scope : '').split(' ').filter((scope) => scope !== ''),
        expiresAt: new Date(payload.exp! * 1000),
      }
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}
