import type { Notification } from './inbox.ts'
import { standardHeaders } from './standard-webhooks.ts'
import type { Digests } from './webhook-digests.ts'

/** Receivers refuse a timestamp that is further away than this. */
export const WEBHOOK_FRESH_SECONDS = 300

type Message = {
  /** The endpoint exactly as it was configured: the signing key is made from it. */
  readonly url: string
  readonly deliveryId: string
  readonly notifications: readonly Notification[]
  readonly at: Date
  /** Adds the headers of Standard Webhooks: the id of the message, and the keys to sign with. */
  readonly standard?: { readonly id: string; readonly keys: readonly Uint8Array[] } | undefined
}

/** The request that a webhook gets, signed at the time of sending. */
export function webhookRequest(digests: Digests, { url, deliveryId, notifications, at, standard }: Message) {
  const body = JSON.stringify(notifications)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'svc-notifications',
    'x-svc-delivery': deliveryId,
    ...signWebhook(digests, url, body, at),
    ...(standard && standardHeaders(digests, { ...standard, body, at })),
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
  return `v1=${digests.hmacSha256(digests.sha256(url), `${timestamp}.${body}`, 'hex')}`
}
