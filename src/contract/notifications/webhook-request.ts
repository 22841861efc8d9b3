import type { Notification } from './inbox.ts'

/** Digests of the runtime. They are handed in, because the contract also runs in browsers, without `node:crypto`. */
export type Digests = {
  readonly sha256: (text: string) => Uint8Array
  /** Returns the HMAC-SHA-256 in lower-case hex. */
  readonly hmacSha256: (key: Uint8Array, message: string) => string
}

/** Receivers refuse a timestamp that is further away than this. */
export const WEBHOOK_FRESH_SECONDS = 300

type Message = {
  /** The endpoint exactly as it was configured: the signing key is made from it. */
  readonly url: string
  readonly deliveryId: string
  readonly notifications: readonly Notification[]
  readonly at: Date
}

/** The request that a webhook gets, signed at the time of sending. */
export function webhookRequest(digests: Digests, { url, deliveryId, notifications, at }: Message) {
  const body = JSON.stringify(notifications)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'svc-notifications',
    'x-svc-delivery': deliveryId,
    ...signWebhook(digests, url, body, at),
  }
  return { headers, body }
}

/**
 * Headers that prove who sent a webhook. The key is the SHA-256 of the endpoint's URL exactly as it was configured, so a
 * new URL is a new key.
 */
export function signWebhook(digests: Digests, url: string, body: string, at: Date) {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  return { 'x-svc-timestamp': timestamp, 'x-svc-signature': webhookSignature(digests, url, timestamp, body) }
}

export function webhookSignature(digests: Digests, url: string, timestamp: string, body: string): string {
  return `v1=${digests.hmacSha256(digests.sha256(url), `${timestamp}.${body}`)}`
}
