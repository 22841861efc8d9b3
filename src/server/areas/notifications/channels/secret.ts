import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'

/** The URL or token that messages to a channel need. Never shown again once it is saved. */
export const CHANNEL_SECRETS: SealedColumn<{ id: string }> = {
  kind: 'secrets of notification channels',
  table: ['notifications', 'channels'],
  column: 'secret',
  primaryKey: ['id'],
  context: ({ id }) => `channel:${id}`,
}
