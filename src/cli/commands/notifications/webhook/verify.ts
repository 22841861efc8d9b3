import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Notification } from '#contract/notifications/inbox.ts'
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
  stale: { status: 401, text: 'The timestamp is more than five minutes away. Check the clocks.' },
  not_readable: { status: 400, text: 'The signature is right, but the body is not a list of notifications.' },
  too_large: { status: 413, text: `The body is larger than ${MAX_BODY_BYTES} bytes. It was not read to its end.` },
  wrong_method: { status: 405, text: 'svc sends its notifications with POST.' },
} as const
export type Verdict = keyof typeof VERDICTS

export type Arrived = {
  readonly timestamp: string | undefined
  readonly signature: string | undefined
  readonly body: Uint8Array
}
type Judged = { readonly verdict: Verdict; readonly notifications: readonly Notification[] }

/** Judges a request as the guide tells receivers to: first the signature, then its age, then the content. */
export function judge({ timestamp, signature, body }: Arrived, url: string, now: Date): Judged {
  const refused = (verdict: Verdict) => ({ verdict, notifications: [] })
  if (timestamp === undefined || signature === undefined) return refused('no_signature')
  const text = readText(body)
  if (text === undefined || !isEqual(signature, webhookSignature(DIGESTS, url, timestamp, text))) {
    return refused('wrong_signature')
  }
  if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= WEBHOOK_FRESH_SECONDS)) return refused('stale')
  const notifications = readNotifications(text)
  return notifications === undefined ? refused('not_readable') : { verdict: 'right', notifications }
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
