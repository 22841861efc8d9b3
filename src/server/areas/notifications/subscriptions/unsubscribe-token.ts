import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'

/** The token of a subscription's unsubscribe link, sealed because each mail must contain it again. */
export const UNSUBSCRIBE_TOKENS: SealedColumn<{ id: string }> = {
  kind: 'unsubscribe links',
  table: ['notifications', 'subscriptions'],
  column: 'unsubscribe_token',
  primaryKey: ['id'],
  context: ({ id }) => `unsubscribe:${id}`,
}
