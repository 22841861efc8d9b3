import type { Db, Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type KeptMail = { delivery_id: string; org_id: string; recipient: string; subject: string; body: string }

const MAX_KEPT_MAILS = 500

/** Keeps a mail instead of sending it, once per delivery, and removes the oldest beyond 500. */
export async function keepMail(db: Db, { delivery_id, org_id, recipient, subject, body }: KeptMail): Promise<void> {
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

/** Mails of an organization, newest first. */
export async function listKeptMails(db: Querier, orgId: string): Promise<(KeptMail & { kept_at: Date })[]> {
  return db.query(sql`
    select delivery_id, org_id, recipient, subject, body, kept_at from notifications.mailbox
    where org_id = ${orgId} order by kept_at desc, delivery_id desc`)
}
