import { createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

export const HEX_KEY = /^[0-9a-f]{64}$/i

const SALT = 'svc/keys/v1'

/** Derives a key for one purpose, so that a value made for one purpose is never valid for another. */
export function deriveKey(master: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, SALT, purpose, 32))
}

/** Derives the root key of everything that becomes invalid when either signing secret is rotated. */
export function masterKey(jwtSecret: string, signingKey: string): Buffer {
  return deriveKey(Buffer.concat([Buffer.from(jwtSecret, 'hex'), Buffer.from(signingKey, 'hex')]), 'master')
}

/** Returns a public name of the current pair of secrets. Rows made under it store the name. */
export function keyEpoch(master: Uint8Array): string {
  return deriveKey(master, 'epoch').subarray(0, 8).toString('hex')
}

export function hmac(key: Uint8Array | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Compares secrets of any length in constant time. */
export function equalSecrets(a: string, b: string): boolean {
  const key = Buffer.alloc(32, 1)
  return timingSafeEqual(hmac(key, a), hmac(key, b))
}
