import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { AuthKeys } from '../model/deps.ts'
import { kindOfToken } from '../model/token-format.ts'
import { consumeInvitation, findConfirmedEmail, type InvitationRow } from '../store/invitations.ts'
import { ensureMember } from '../store/people.ts'

type Accepting = { token: string; userId: string; actor: string; now: Date }

/**
 * Makes the user a member, once, if the token is of an open invitation for the email address that an identity provider
 * verified or a mailed link confirmed. Returns undefined otherwise. A member keeps the role they have.
 */
export async function redeemInvitation(
  tx: Tx,
  { keys }: { keys: AuthKeys },
  { token, userId, actor, now }: Accepting,
): Promise<Pick<InvitationRow, 'org_id' | 'role'> | undefined> {
  if (kindOfToken(token) !== 'invitation') return undefined
  const email = await findConfirmedEmail(tx, userId)
  const hash = keys.hash('invitation', token)
  const found = email && (await consumeInvitation(tx, { hash, epoch: keys.epoch, email, now }))
  if (!found) return undefined
  const { org_id, id } = found
  const role = await ensureMember(tx, { org_id, user_id: userId, role: found.role, created_at: now })
  await audit(tx, { org_id, actor, action: 'invitation.accepted', target: id, at: now })
  return { org_id, role }
}
