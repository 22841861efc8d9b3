import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { deleteRows } from '#lib/work/delete-rows.ts'
import type { Eraser } from '#ports/eraser.ts'
import {
  deleteOfPerson,
  dropMailsTo,
  findAddressKeys,
  forgetAddress,
  forgetConfirmations,
  isSendingTo,
  renameKeys,
} from './person-store.ts'

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
  sql`notifications.follows`,
  sql`notifications.former_unsubscribe_links`,
  sql`notifications.refusal_links`,
  sql`notifications.refused_organizations`,
  sql`notifications.settings`,
  sql`notifications.unsubscribed_addresses`,
]

/** The ledger of an organization stays when one of its people is deleted, with the id of the person for their address. */
export function notificationsEraser({ db }: { readonly db: Db }): Eraser {
  return {
    async closeOrganization(orgId) {
      await db.query(sql`delete from notifications.subscriptions where org_id = ${orgId}`)
    },
    async eraseOrganization(orgId, signal) {
      await forgetConfirmations(db, orgId)
      for (const table of TABLES) await deleteRows(db, table, sql`org_id = ${orgId}`, signal)
      return undefined
    },
    async erasePerson(person) {
      await deleteOfPerson(db, person)
      const keys = await findAddressKeys(db, person.email)
      await dropMailsTo(db, keys)
      if (await isSendingTo(db, keys)) return 'a mail to the person is being sent'
      await renameKeys(db, keys, person)
      await forgetAddress(db, person.email)
      return undefined
    },
  }
}
