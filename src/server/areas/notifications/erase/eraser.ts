import type { Db } from '#lib/db/db.ts'
import type { Eraser } from '#ports/eraser.ts'
import { deleteOfOrganization, deleteSubscriptions } from './organization-store.ts'
import { deleteOfPerson, dropMailsTo, findAddressKeys, forgetAddress, isSendingTo, renameKeys } from './person-store.ts'

/** The ledger of an organization stays when one of its people is deleted, with the id of the person for their address. */
export function notificationsEraser({ db }: { readonly db: Db }): Eraser {
  return {
    async closeOrganization(orgId) {
      await deleteSubscriptions(db, orgId)
    },
    async eraseOrganization(orgId, signal) {
      await deleteOfOrganization(db, orgId, signal)
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
