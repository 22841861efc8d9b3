import { createSecretKey, type KeyObject } from 'node:crypto'
import { deriveKey, hmac, keyEpoch, masterKey } from '#lib/crypto/keys.ts'
import type { Db } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { SystemMails } from '#ports/system-mail.ts'
import { TOKEN_PREFIXES, type TokenKind } from './token-format.ts'

const TOKEN_KINDS = Object.keys(TOKEN_PREFIXES) as TokenKind[]
const HASH_KINDS = [...TOKEN_KINDS, 'state', 'browser', 'oauth', 'successor', 'consent', 'mail_limit'] as const
type HashKind = (typeof HASH_KINDS)[number]

/** Keys of the current pair of signing secrets, one per purpose. Rotating either secret changes all of them. */
export type AuthKeys = {
  readonly epoch: string
  readonly userJwt: Uint8Array
  /** Signs the cookies of an OAuth authorization in progress. */
  readonly oauthCookie: string
  /** Returns the digest that is stored in place of a secret, under the key of its kind. */
  hash(kind: HashKind, secret: string): Buffer
}

export function authKeys(jwtSecret: string, jwtSigningKey: string): AuthKeys {
  const master = masterKey(jwtSecret, jwtSigningKey)
  const keyOf = Object.fromEntries(
    HASH_KINDS.map((kind) => [kind, createSecretKey(deriveKey(master, `hash/${kind}`))]),
  ) as Record<HashKind, KeyObject>
  return {
    epoch: keyEpoch(master),
    userJwt: deriveKey(master, 'user-jwt'),
    oauthCookie: deriveKey(master, 'oauth-cookie').toString('hex'),
    hash: (kind, secret) => hmac(keyOf[kind], secret),
  }
}

export type AuthDeps = {
  readonly db: Db
  readonly clock: Clock
  readonly keys: AuthKeys
  /** Called after someone lost a right, so that cached principals of this process are dropped. */
  readonly onRevoked: () => void
  readonly mails: SystemMails
  /** `signIn` is the address where people sign in, which links in mails begin with. */
  readonly publicUrls: { readonly signIn: string }
}
