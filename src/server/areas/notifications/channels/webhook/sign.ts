import { hash } from 'node:crypto'
import { STANDARD_SECRET_PREFIX } from '#contract/notifications/standard-webhooks.ts'
import type { Digests } from '#contract/notifications/webhook-digests.ts'
import { signWebhook } from '#contract/notifications/webhook-request.ts'
import { createHmacSha256 } from '#lib/crypto/hmac.ts'

export const WEBHOOK_DIGESTS: Digests = {
  sha256: (text) => hash('sha256', text, 'buffer'),
  hmacSha256: (key, message, encoding) => createHmacSha256(key)(message).toString(encoding),
}

/** Returns the key of a secret that svc generated. */
export function standardKey(secret: string): Uint8Array {
  return Buffer.from(secret.slice(STANDARD_SECRET_PREFIX.length), 'base64')
}

export function signatureHeaders(url: string, body: string, at: Date): Record<string, string> {
  return signWebhook(WEBHOOK_DIGESTS, url, body, at)
}
