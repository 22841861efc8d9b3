import { ServiceError } from '#contract/core/errors.ts'
import type { Tx } from '#lib/db/db.ts'
import type { SystemMails } from '#ports/system-mail.ts'
import type { AuthKeys } from '../model/deps.ts'
import { countMails, findInvitation, lockAddress, noteMail } from '../store/invitations.ts'
import { invitationLink, invitationMail, invitationMailKey } from './invitation-mail.ts'

const DAY_MS = 24 * 3_600_000
const MAX_MAILS_PER_DAY = 10

type Deps = { keys: AuthKeys; mails: SystemMails; publicUrls: { readonly signIn: string } }

/** Call this before the invitation is written. One address gets a limited number of mails, whoever invites it. */
export async function refuseManyMails(tx: Tx, email: string, now: Date): Promise<void> {
  await lockAddress(tx, email)
  const sent = await countMails(tx, email, new Date(now.getTime() - DAY_MS))
  if (sent < MAX_MAILS_PER_DAY) return
  const detail = `${email} was sent ${MAX_MAILS_PER_DAY} invitations in the last 24 hours. Try again tomorrow.`
  throw new ServiceError('RATE_LIMITED', detail)
}

/** Queues the mail of the invitation with this token, in the transaction that wrote it. Returns the link. */
export async function mailInvitation(
  tx: Tx,
  { keys, mails, publicUrls }: Deps,
  { token, now }: { token: string; now: Date },
): Promise<string> {
  const hash = keys.hash('invitation', token)
  const link = invitationLink(publicUrls.signIn, token)
  const invited = (await findInvitation(tx, { hash, epoch: keys.epoch }))!
  await noteMail(tx, invited.id, { now, since: new Date(now.getTime() - DAY_MS) })
  await mails.queue(tx, invitationMail(invited, { key: invitationMailKey({ id: invited.id, hash }), link }))
  return link
}
