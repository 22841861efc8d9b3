import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Clock } from '#lib/clock.ts'
import { deriveKey, hmac, keyEpoch, masterKey } from '#lib/crypto/keys.ts'
import type { Db } from '#lib/db/db.ts'
import type { TokenKind } from './tokens/token-format.ts'

/** Keys of the current pair of signing secrets, one per purpose. Rotating either secret changes all of them. */
export type AuthKeys = {
  readonly epoch: string
  readonly userJwt: Uint8Array
  /** For the cookies of an authorization that is under way. */
  readonly oauthCookie: string
  /** How a secret is kept: never itself, always under the key of its kind. */
  hash(kind: TokenKind | 'state' | 'browser' | 'oauth' | 'consent', secret: string): Buffer
}

export function authKeys(jwtSecret: string, jwtSigningKey: string): AuthKeys {
  const master = masterKey(jwtSecret, jwtSigningKey)
  const keys = new Map<string, KeyObject>()
  const keyOf = (kind: string) => {
    const key = keys.get(kind) ?? createSecretKey(deriveKey(master, `hash/${kind}`))
    keys.set(kind, key)
    return key
  }
  return {
    epoch: keyEpoch(master),
    userJwt: deriveKey(master, 'user-jwt'),
    oauthCookie: deriveKey(master, 'oauth-cookie').toString('hex'),
    hash: (kind, secret) => hmac(keyOf(kind), secret),
  }
}

export type AuthDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly keys: AuthKeys
  /** Somebody lost a right: whoever keeps principals in this process forgets them. */
  readonly onRevoked: () => void
}
