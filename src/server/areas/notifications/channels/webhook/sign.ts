import { hash } from 'node:crypto'
import { type Digests, signWebhook } from '#contract/notifications/webhook-request.ts'
import { createHmacSha256 } from '#lib/crypto/hmac.ts'

export const WEBHOOK_DIGESTS: Digests = {
  sha256: (text) => hash('sha256', text, 'buffer'),
  hmacSha256: (key, message) => createHmacSha256(key)(message).toString('hex'),
}

export function signatureHeaders(url: string, body: string, at: Date): Record<string, string> {
  return signWebhook(WEBHOOK_DIGESTS, url, body, at)
}
