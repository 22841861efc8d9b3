import { createHmac, createSecretKey, hash } from 'node:crypto'

/**
 * Headers that prove who sent a webhook. The key is the SHA-256 of the endpoint's URL exactly as it was configured, so a
 * new URL is a new key.
 */
export function signatureHeaders(url: string, body: string, at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  // A key object, because Node takes several times as long with a key in a buffer.
  const key = createSecretKey(hash('sha256', url, 'buffer'))
  const signature = createHmac('sha256', key).update(`${timestamp}.${body}`, 'utf8').digest('hex')
  return { 'x-svc-timestamp': timestamp, 'x-svc-signature': `v1=${signature}` }
}
