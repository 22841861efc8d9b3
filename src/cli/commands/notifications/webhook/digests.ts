import { createHash, createHmac } from 'node:crypto'
import type { Digests } from '#contract/notifications/webhook-digests.ts'

export const DIGESTS: Digests = {
  sha256: (text) => createHash('sha256').update(text).digest(),
  hmacSha256: (key, message, encoding) => createHmac('sha256', key).update(message).digest(encoding),
}
