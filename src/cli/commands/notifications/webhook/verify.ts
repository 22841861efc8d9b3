import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Notification } from '#contract/notifications/inbox.ts'
import { standardSignature } from '#contract/notifications/standard-webhooks.ts'
import { WEBHOOK_FRESH_SECONDS, webhookSignature } from '#contract/notifications/webhook-request.ts'
import { DIGESTS } from './digests.ts'

export const MAX_BODY_BYTES = 1024 * 1024

/** The verdict about a request, with the status that the receiver answers and the text that it prints. */
export const VERDICTS = {
  right: { status: 200, text: 'The signature is right.' },
  repeated: { status: 200, text: 'The signature is right, but this id arrived before. Do not act on it again.' },
  no_signature: { status: 401, text: 'X-Svc-Timestamp or X-Svc-Signature is missing.' },
  wrong_signature: {
    status: 401,
    text: 'The signature is wrong: another URL made the key, or the body was changed on its way.',
  },
  no_standard_signature: { status: 401, text: 'webhook-id, webhook-timestamp or webhook-signature is missing.' },
  wrong_standard_signature: {
    status: 401,
    text: 'No signature is right: another secret made them, or the body was changed on its way.',
  },
  stale: { status: 401, text: 'The timestamp is more than five minutes away. Check the clocks.' },
  not_readable: { status: 400, text: 'The signature is right, but the body is not a list of notifications.' },
  too_large: { status: 413, text: `The body is larger than ${MAX_BODY_BYTES} bytes. It was not read to its end.` },
  wrong_method: { status: 405, text: 'svc sends its notifications with POST.' },
} as const
export type Verdict = keyof typeof VERDICTS

type Headers = Readonly<Record<string, string | string[] | undefined>>
export type Arrived = { readonly headers: Headers; readonly body: Uint8Array }
/** The URL that the key is made from, or the key of Standard Webhooks. */
export type SigningKey = { readonly url: string } | { readonly standardKey: Uint8Array }
type Judged = { readonly verdict: Verdict; readonly notifications: readonly Notification[] }

/** Judges a request as the guide tells receivers to: first the signature, then its age, then the content. */
export function judge({ headers, body }: Arrived, key: SigningKey, now: Date): Judged {
  const refused = (verdict: Verdict) => ({ verdict, notifications: [] })
  const text = readText(body)
  const signed = 'url' in key ? checkOwn(headers, text, key.url) : checkStandard(headers, text, key.standardKey)
  if (typeof signed === 'string') return refused(signed)
  const { timestamp } = signed
  if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= WEBHOOK_FRESH_SECONDS)) return refused('stale')
  const notifications = readNotifications(text ?? '')
  return notifications === undefined ? refused('not_readable') : { verdict: 'right', notifications }
}

type Signed = { readonly timestamp: string }

function checkOwn(headers: Headers, body: string | undefined, url: string): Signed | Verdict {
  const { 'x-svc-timestamp': timestamp, 'x-svc-signature': signature } = headers
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return 'no_signature'
  if (body === undefined) return 'wrong_signature'
  return isEqual(signature, webhookSignature(DIGESTS, url, timestamp, body)) ? { timestamp } : 'wrong_signature'
}

/** One signature of several has to be right: during a rotation the others are made with another secret. */
function checkStandard(headers: Headers, body: string | undefined, key: Uint8Array): Signed | Verdict {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'no_standard_signature'
  if (body === undefined) return 'wrong_standard_signature'
  const expected = standardSignature(DIGESTS, key, { id, timestamp, body })
  return signatures.split(' ').some((one) => isEqual(one, expected)) ? { timestamp } : 'wrong_standard_signature'
}

/** Returns undefined for bytes that are not UTF-8. The bytes of the text are otherwise those of the body. */
function readText(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}

function isEqual(signature: string, expected: string): boolean {
  const [one, other] = [Buffer.from(signature), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function readNotifications(text: string): readonly Notification[] | undefined {
  try {
    return z.array(Notification).min(1).parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
