import type { AuthDeps } from '../model/deps.ts'
import { findOrg } from '../store/orgs.ts'
import { orgStaysMail, personStaysMail } from './deletion-mail.ts'
import type { DeletionRow } from './store.ts'
import { findPerson, listOwners } from './subject-store.ts'

type Deps = Pick<AuthDeps, 'db' | 'mails' | 'publicUrls'>

/**
 * Mails those who were mailed about the deletion that it was undone. Each mail is a transaction: one with several would
 * have to lock their destinations in order.
 */
export async function mailUndone({ db, mails, publicUrls }: Deps, deletion: DeletionRow): Promise<void> {
  const baseUrl = publicUrls.signIn
  if (deletion.kind === 'person') {
    const person = await findPerson(db, { id: deletion.id })
    if (!person) return
    const mail = personStaysMail(deletion, { user_id: person.id, email: person.email }, baseUrl)
    await db.tx((tx) => mails.queue(tx, mail))
    return
  }
  const org = await findOrg(db, deletion.id)
  for (const owner of org ? await listOwners(db, org.id) : []) {
    const mail = orgStaysMail(deletion, owner, { name: org!.name, baseUrl })
    await db.tx((tx) => mails.queue(tx, mail))
  }
}
