import { hash, randomBytes } from 'node:crypto'

/** Returns a token that nobody can guess, for a link in a mail or for the return from another service. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored digest by which a token is found. */
export function tokenDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
