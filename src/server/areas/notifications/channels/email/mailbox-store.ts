import type { Sealer } from '#lib/crypto/seal.ts'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'
import type { Db, Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type KeptMail = { delivery_id: string; org_id: string; recipient: string; subject: string; body: string }
export type StoredMail = KeptMail & { kept_at: Date }

const MAX_KEPT_MAILS = 500

/** The text of a mail can contain links that act for its recipient, such as that of an invitation. */
export const KEPT_MAILS: SealedColumn<{ delivery_id: string }> = {
  kind: 'mails of the local mailbox',
  table: ['notifications', 'mailbox'],
  column: 'body',
  primaryKey: ['delivery_id'],
  context: ({ delivery_id }) => `mailbox:${delivery_id}`,
}

/** Keeps a mail instead of sending it, once per delivery, and removes the oldest beyond 500. */
export async function keepMail(db: Db, sealer: Sealer, mail: KeptMail): Promise<void> {
  const { delivery_id, org_id, recipient, subject } = mail
  const body = sealer.seal(mail.body, KEPT_MAILS.context({ delivery_id }))
  await db.tx(async (tx) => {
    await tx.query(sql`
      insert into notifications.mailbox (delivery_id, org_id, recipient, subject, body, kept_at)
      values (${delivery_id}, ${org_id}, ${recipient}, ${subject}, ${body}, clock_timestamp())
      on conflict (delivery_id) do nothing`)
    await tx.query(sql`
      delete from notifications.mailbox where delivery_id in (
        select delivery_id from notifications.mailbox
        order by kept_at desc, delivery_id desc offset ${MAX_KEPT_MAILS})`)
  })
}

export async function listKeptMails(db: Querier, sealer: Sealer, orgId: string): Promise<StoredMail[]> {
  const mails = await db.query<StoredMail>(sql`
    select delivery_id, org_id, recipient, subject, body, kept_at from notifications.mailbox
    where org_id = ${orgId} order by kept_at desc, delivery_id desc`)
  return mails.map((mail) => ({ ...mail, body: sealer.open(mail.body, KEPT_MAILS.context(mail)) }))
}
