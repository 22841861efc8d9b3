import { hash } from 'node:crypto'
import { createHmacSha256 } from '#lib/crypto/hmac.ts'

/**
 * Headers that prove who sent a webhook. The key is the SHA-256 of the endpoint's URL exactly as it was configured, so a
 * new URL is a new key.
 */
export function signatureHeaders(url: string, body: string, at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const hmac = createHmacSha256(hash('sha256', url, 'buffer'))
  return { 'x-svc-timestamp': timestamp, 'x-svc-signature': `v1=${hmac(`${timestamp}.${body}`).toString('hex')}` }
}
