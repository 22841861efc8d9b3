import type { Digests } from './webhook-digests.ts'

/** Begins every secret of Standard Webhooks; the key in base64 follows. */
export const STANDARD_SECRET_PREFIX = 'whsec_'

/** How long a replaced secret goes on signing beside the new one. */
export const SECRET_OVERLAP_HOURS = 24

type SignedMessage = {
  /** The same in every attempt and in a resend: receivers recognise repetitions by it. It contains no full stop. */
  readonly id: string
  readonly at: Date
  readonly body: string
  readonly keys: readonly Uint8Array[]
}

/** Headers by which libraries of Standard Webhooks (version 1) verify a request: one signature for each key. */
export function standardHeaders(digests: Digests, { id, at, body, keys }: SignedMessage) {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = keys.map((key) => standardSignature(digests, key, { id, timestamp, body }))
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

type SignedParts = { readonly id: string; readonly timestamp: string; readonly body: string }

export function standardSignature(digests: Digests, key: Uint8Array, { id, timestamp, body }: SignedParts): string {
  return `v1,${digests.hmacSha256(key, `${id}.${timestamp}.${body}`, 'base64')}`
}
