import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '#contract/auth/members.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { newId } from '#edge/ids.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { makeToken } from '../model/token-format.ts'
import {
  type InvitationRow,
  insertInvitation,
  lockOpenInvitation,
  pageInvitations,
  replaceInvitationToken,
  revokeInvitationRow,
} from '../store/invitations.ts'
import { redeemInvitation } from './accept.ts'
import { invitationMailKey } from './invitation-mail.ts'
import { mailInvitation, refuseManyMails } from './send-invitation.ts'

const INVITATION_LIFETIME_MS = 7 * 24 * 3_600_000

export function invitationRoutes(deps: AuthDeps): Route[] {
  const { db, clock, keys, mails } = deps
  return [
    route(createInvitation, async ({ org_id, email, role }, { principal }) => {
      const now = clock.now()
      const token = makeToken('invitation')
      const expires_at = new Date(now.getTime() + INVITATION_LIFETIME_MS)
      const row = { id: newId('inv'), org_id, email, role, invited_by: principal.id, created_at: now, expires_at }
      const link = await db.tx(async (tx) => {
        await refuseManyMails(tx, email, now)
        await insertInvitation(tx, { ...row, hash: keys.hash('invitation', token), epoch: keys.epoch })
        const entry = { org_id, actor: actorOf(principal), action: 'invitation.created', target: row.id }
        await audit(tx, { ...entry, detail: { email, role }, at: now })
        return mailInvitation(tx, deps, { token, now })
      })
      return { ...present(row), token, link }
    }),
    resendRoute(deps),
    route(listInvitations, async ({ org_id, limit, cursor }) => {
      const rows = await pageInvitations(db, org_id, keys.epoch, clock.now(), { before: readCursor(cursor), limit })
      const outcomes = await mails.outcomes(db, rows.map(invitationMailKey))
      return toPage(rows, limit, (row) => ({
        ...present(row),
        mail: outcomes.get(invitationMailKey(row)) ?? null,
      }))
    }),
    route(revokeInvitation, async ({ org_id, id }, { principal }) => {
      const now = clock.now()
      await db.tx(async (tx) => {
        const hash = await revokeInvitationRow(tx, org_id, id, now)
        if (!hash) throw notFound('invitation')
        await mails.cancel(tx, invitationMailKey({ id, hash }), 'revoked')
        await audit(tx, { org_id, actor: actorOf(principal), action: 'invitation.revoked', target: id, at: now })
      })
      return { id, revoked: true as const }
    }),
    route(acceptInvitation, async ({ token }, { principal }) => {
      const userId = principal.user_id
      if (userId === null) throw cannotBeUsed()
      const accepting = { token, userId, actor: actorOf(principal), now: clock.now() }
      const accepted = await db.tx((tx) => redeemInvitation(tx, deps, accepting))
      if (!accepted) throw cannotBeUsed()
      return accepted
    }),
  ]
}

/** Only a digest of the token is stored, so a second mail has a new token and the former one stops working. */
function resendRoute(deps: AuthDeps): Route {
  const { db, clock, keys, mails } = deps
  return route(resendInvitation, async ({ org_id, id }, { principal }) => {
    const now = clock.now()
    const token = makeToken('invitation')
    const expires_at = new Date(now.getTime() + INVITATION_LIFETIME_MS)
    return db.tx(async (tx) => {
      const row = await lockOpenInvitation(tx, { org_id, id, epoch: keys.epoch, now })
      if (!row) throw notFound('invitation')
      await refuseManyMails(tx, row.email, now)
      await mails.cancel(tx, invitationMailKey(row), 'superseded')
      await replaceInvitationToken(tx, { id, hash: keys.hash('invitation', token), expires_at })
      await audit(tx, { org_id, actor: actorOf(principal), action: 'invitation.resent', target: id, at: now })
      const link = await mailInvitation(tx, deps, { token, now })
      return { ...present({ ...row, expires_at }), token, link }
    })
  })
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
