import { acceptInvitation, createInvitation, listInvitations, revokeInvitation } from '#contract/auth/members.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { audit } from '#edge/audit.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import { newId } from '#edge/ids.ts'
import type { AuthDeps } from '../deps.ts'
import {
  consumeInvitation,
  findVerifiedEmail,
  type InvitationRow,
  insertInvitation,
  pageInvitations,
  revokeInvitationRow,
} from '../store/invitations.ts'
import { ensureMember } from '../store/people.ts'
import { kindOfToken, makeToken } from '../tokens/token-format.ts'

const INVITATION_LIFETIME_MS = 7 * 24 * 3_600_000

export function invitationRoutes({ db, clock, keys }: AuthDeps): Route[] {
  return [
    route(createInvitation, async ({ org_id, email, role }, { principal }) => {
      const now = clock.now()
      const token = makeToken('invitation')
      const expires_at = new Date(now.getTime() + INVITATION_LIFETIME_MS)
      const row = { id: newId('inv'), org_id, email, role, invited_by: principal.id, created_at: now, expires_at }
      await db.tx(async (tx) => {
        await insertInvitation(tx, { ...row, hash: keys.hash('invitation', token), epoch: keys.epoch })
        const entry = { org_id, actor: actorOf(principal), action: 'invitation.created', target: row.id }
        await audit(tx, { ...entry, detail: { email, role }, at: now })
      })
      return { ...present(row), token }
    }),
    route(listInvitations, async ({ org_id, limit, cursor }) => {
      const rows = await pageInvitations(db, org_id, keys.epoch, clock.now(), readCursor(cursor), limit)
      return toPage(rows, limit, present)
    }),
    route(revokeInvitation, async ({ org_id, id }, { principal }) => {
      const now = clock.now()
      await db.tx(async (tx) => {
        if (!(await revokeInvitationRow(tx, org_id, id, now))) throw notFound('invitation')
        await audit(tx, { org_id, actor: actorOf(principal), action: 'invitation.revoked', target: id, at: now })
      })
      return { id, revoked: true as const }
    }),
    route(acceptInvitation, async ({ token }, { principal }) => {
      const userId = principal.user_id
      if (userId === null || kindOfToken(token) !== 'invitation') throw cannotBeUsed()
      const now = clock.now()
      return db.tx(async (tx) => {
        const email = await findVerifiedEmail(tx, userId)
        const hash = keys.hash('invitation', token)
        const found = email && (await consumeInvitation(tx, { hash, epoch: keys.epoch, email, now }))
        if (!found) throw cannotBeUsed()
        const { org_id, id } = found
        const role = await ensureMember(tx, { org_id, user_id: userId, role: found.role, created_at: now })
        await audit(tx, { org_id, actor: actorOf(principal), action: 'invitation.accepted', target: id, at: now })
        return { org_id, role }
      })
    }),
  ]
}

/**
 * One error for unknown, used, expired and revoked invitations and those for another email, so that none can be told
 * apart.
 */
function cannotBeUsed(): ServiceError {
  return new ServiceError(
    'INVITATION_INVALID',
    'This invitation was used, has expired, was revoked, or is for another email address. Ask for a new one.',
  )
}

function present({ id, email, role, invited_by, created_at, expires_at }: InvitationRow) {
  return { id, email, role, invited_by, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() }
}
