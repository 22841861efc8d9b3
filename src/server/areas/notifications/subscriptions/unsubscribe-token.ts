import { createHash, randomBytes } from 'node:crypto'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'

/** The token of a subscription's unsubscribe link, sealed because each mail must contain it again. */
export const UNSUBSCRIBE_TOKENS: SealedColumn<{ id: string }> = {
  kind: 'unsubscribe links',
  table: ['notifications', 'subscriptions'],
  column: 'unsubscribe_token',
  primaryKey: ['id'],
  context: ({ id }) => `unsubscribe:${id}`,
}

export function newUnsubscribeToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored digest by which a link's token is found. */
export function unsubscribeDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
