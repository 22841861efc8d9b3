import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'

/** The token of the app that an organization installed in its workspace. */
export const CHAT_BOT_TOKENS: SealedColumn<{ org_id: string }> = {
  kind: 'tokens of chat installations',
  table: ['notifications', 'chat_installations'],
  column: 'bot_token',
  primaryKey: ['org_id'],
  context: ({ org_id }) => `chat-installation:${org_id}`,
}
