import { createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Keys of 32 bytes, as hex. */
export const HEX_KEY = /^[0-9a-f]{64}$/i

const SALT = 'svc/keys/v1'

/** One key per purpose, so that what is made for one can never pass for another. */
export function deriveKey(master: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, SALT, purpose, 32))
}

/** The root of everything that must die when either signing secret is rotated. */
export function masterKey(jwtSecret: string, signingKey: string): Buffer {
  return deriveKey(Buffer.concat([Buffer.from(jwtSecret, 'hex'), Buffer.from(signingKey, 'hex')]), 'master')
}

/** Names the current pair of secrets without telling anything about them; kept on each row made under it. */
export function keyEpoch(master: Uint8Array): string {
  return deriveKey(master, 'epoch').subarray(0, 8).toString('hex')
}

export function hmac(key: Uint8Array | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Equality of secrets of any length, in time that tells nothing of where they differ. */
export function equalSecrets(a: string, b: string): boolean {
  const key = Buffer.alloc(32, 1)
  return timingSafeEqual(hmac(key, a), hmac(key, b))
}
