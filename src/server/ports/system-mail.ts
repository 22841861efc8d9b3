import type { Querier, Tx } from '#lib/db/db.ts'

/** A mail that belongs to no event and to no subscription, such as an invitation. Only one that asks something has a link to refuse it. */
export type SystemMail = {
  /** Names this mail for ever: a second mail with the same key is never made. To send one again, take another key. */
  readonly key: string
  /** Null for a mail that belongs to no organization. No organization's ledger lists it. */
  readonly org_id: string | null
  readonly to: string
  /** Shortened to one line. */
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** A complete address. It may contain a token: the mail is stored sealed and its text is deleted when it ended. */
  readonly action: { readonly label: string; readonly link: string } | null
  /** A complete address by which the person refuses further mails of this kind. Also sent as `List-Unsubscribe`. */
  readonly refusal?: { readonly text: string; readonly link: string }
  /** After this time the mail is not sent any more. Null for a mail that is never too late. */
  readonly expires_at: Date | null
  /** Set if the mail alone lets its reader act as its recipient. It is never put into the local mailbox, which owners read. */
  readonly isSecret?: true
}

/** The outcome of a mail. `reason` says why it was not sent, or why the last attempt delivered nothing. */
export type MailOutcome = { readonly status: 'waiting' | 'sent' | 'not_sent'; readonly reason: string | null }

/** How areas send mails without an event. Compose hands it in. */
export type SystemMails = {
  /** Queues a mail in the caller's transaction. Returns false, and changes nothing, when the key was used before. */
  queue(tx: Tx, mail: SystemMail): Promise<boolean>
  /** Drops a mail that no attempt has begun for. The reason is recorded. */
  cancel(tx: Tx, key: string, reason: string): Promise<void>
  /** By key. Mails that were never queued, or are too old to be kept, have no entry. */
  outcomes(db: Querier, keys: readonly string[]): Promise<ReadonlyMap<string, MailOutcome>>
}
