import type { Sealer } from '#lib/crypto/seal.ts'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'
import type { SystemMail } from '#ports/system-mail.ts'

/** Mails without an event, sealed because their links can contain tokens. */
export const SYSTEM_MAILS: SealedColumn<{ id: string }> = {
  kind: 'mails that wait to be sent',
  table: ['notifications', 'deliveries'],
  column: 'message',
  primaryKey: ['id'],
  context: ({ id }) => `message:${id}`,
}

/** The part of a mail that is stored until its delivery has ended. */
export type MailContent = Pick<
  SystemMail,
  'to' | 'subject' | 'paragraphs' | 'action' | 'refusal' | 'expires_at' | 'isSecret'
>

export function sealContent(sealer: Sealer, deliveryId: string, mail: MailContent): string {
  const { to, subject, paragraphs, action, refusal, expires_at, isSecret } = mail
  const text = JSON.stringify({ to, subject, paragraphs, action, refusal, expires_at, isSecret })
  return sealer.seal(text, SYSTEM_MAILS.context({ id: deliveryId }))
}

/** Throws CannotOpen when the key that it was sealed under is missing. */
export function openContent(sealer: Sealer, deliveryId: string, sealed: string): MailContent {
  type Stored = Omit<MailContent, 'expires_at'> & { expires_at: string | null }
  const stored = JSON.parse(sealer.open(sealed, SYSTEM_MAILS.context({ id: deliveryId }))) as Stored
  return { ...stored, expires_at: stored.expires_at === null ? null : new Date(stored.expires_at) }
}
