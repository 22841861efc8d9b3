import type { Db, Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { deleteRows } from '#lib/work/delete-rows.ts'

/** Tables with rows of an organization. Attempts go with deliveries, and confirmations with channels. */
const TABLES = [
  sql`notifications.notifications`,
  sql`notifications.deliveries`,
  sql`notifications.events`,
  sql`notifications.inbox`,
  sql`notifications.mailbox`,
  sql`notifications.subscriptions`,
  sql`notifications.channels`,
  sql`notifications.chat_flows`,
  sql`notifications.chat_installations`,
  sql`notifications.chat_links`,
  sql`notifications.default_seeds`,
  sql`notifications.destinations`,
  sql`notifications.follow_links`,
  sql`notifications.follows`,
  sql`notifications.former_unsubscribe_links`,
  sql`notifications.refusal_links`,
  sql`notifications.refused_organizations`,
  sql`notifications.settings`,
  sql`notifications.unsubscribed_addresses`,
]

export async function deleteSubscriptions(db: Querier, orgId: string): Promise<void> {
  await db.query(sql`delete from notifications.subscriptions where org_id = ${orgId}`)
}

export async function deleteOfOrganization(db: Db, orgId: string, signal: AbortSignal): Promise<void> {
  await forgetConfirmations(db, orgId)
  for (const table of TABLES) await deleteRows(db, table, sql`org_id = ${orgId}`, signal)
}

/** Confirmation mails are counted by address, whichever organization asked for them. */
async function forgetConfirmations(db: Querier, orgId: string): Promise<void> {
  await db.query(sql`
    delete from notifications.confirmation_mails where address in (
      select lower(settings ->> 'address') from notifications.channels where org_id = ${orgId} and kind = 'email')`)
}
