import { adminCreateToken } from '#contract/auth/auth.ts'
import { createToken, listOrgTokens, listTokens, revokeToken } from '#contract/auth/tokens.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { newId } from '#edge/ids.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { makeToken } from '../model/token-format.ts'
import { findOrg } from '../store/orgs.ts'
import { ensureMember, ensureUser } from '../store/people.ts'
import { insertToken, pageTokens, revokeTokenRow, type TokenListRow } from '../store/tokens.ts'

export function tokenRoutes({ db, clock, keys, onRevoked }: AuthDeps): Route[] {
  return [
    route(listTokens, async ({ limit, cursor }, { principal }) => {
      const rows = await pageTokens(db, principal.org_id, userIdOf(principal), keys.epoch, {
        before: readCursor(cursor),
        limit,
      })
      return toPage(rows, limit, present)
    }),
    route(listOrgTokens, async ({ limit, cursor }, { principal }) => {
      const page = { before: readCursor(cursor), limit }
      return toPage(await pageTokens(db, principal.org_id, undefined, keys.epoch, page), limit, present)
    }),
    route(createToken, async ({ name, expires_at }, { principal }) => {
      const now = clock.now()
      const token = makeToken()
      const row = {
        id: newId('tok'),
        org_id: principal.org_id,
        user_id: userIdOf(principal),
        name,
        created_at: now,
        expires_at: expiryOf(expires_at, principal, now),
        last_used_at: null,
        last_used_from: null,
      }
      await db.tx(async (tx) => {
        await insertToken(tx, { ...row, hash: keys.hash('api_token', token), epoch: keys.epoch })
        await audit(tx, {
          ...auditFieldsOf(principal),
          action: 'token.created',
          target: row.id,
          detail: { name },
          at: now,
        })
      })
      return { ...present(row), token }
    }),
    route(revokeToken, async ({ id }, { principal }) => {
      const now = clock.now()
      const owner = principal.role === 'owner' ? undefined : userIdOf(principal)
      await db.tx(async (tx) => {
        if (!(await revokeTokenRow(tx, { id, org_id: principal.org_id, user_id: owner, now }))) {
          throw notFound('API token')
        }
        await audit(tx, { ...auditFieldsOf(principal), action: 'token.revoked', target: id, at: now })
      })
      onRevoked()
      return { id, revoked: true as const }
    }),
    route(adminCreateToken, async ({ org_id, email, role, name, is_program }) => {
      const now = clock.now()
      const token = makeToken()
      const id = newId('tok')
      return db.tx(async (tx) => {
        if (!(await findOrg(tx, org_id))) throw notFound('organization')
        const user = await ensureUser(tx, { id: newId('usr'), email, name: null, created_at: now, is_program })
        const actualRole = await ensureMember(tx, { org_id, user_id: user.id, role, created_at: now })
        const row = { id, org_id, user_id: user.id, name, created_at: now, expires_at: null }
        await insertToken(tx, { ...row, hash: keys.hash('api_token', token), epoch: keys.epoch })
        const detail = { user_id: user.id, role: actualRole, name }
        await audit(tx, { org_id, actor: 'operator', action: 'token.created', target: id, detail, at: now })
        return { ...row, token, email: user.email, role: actualRole, created_at: now.toISOString() }
      })
    }),
  ]
}

function auditFieldsOf(principal: Member) {
  return { org_id: principal.org_id, actor: actorOf(principal) }
}

function userIdOf(principal: Member): string {
  if (principal.user_id === null) throw new ServiceError('FORBIDDEN', 'Only a person can have API tokens.')
  return principal.user_id
}

/** Returns the expiry of a new token. A token made with another token must not outlive it. */
function expiryOf(expiresAt: string | undefined, principal: Member, now: Date): Date | null {
  const requested = expiresAt === undefined ? null : new Date(expiresAt)
  if (requested && requested <= now) throw new ServiceError('INVALID_REQUEST', 'expires_at: must be in the future')
  if (principal.kind !== 'api_token' || principal.expires_at === null) return requested
  const latest = new Date(principal.expires_at)
  if (requested && requested > latest) {
    throw new ServiceError(
      'INVALID_REQUEST',
      'expires_at: must not be later than the expiry of the token you are using',
    )
  }
  return requested ?? latest
}

function present(row: TokenListRow) {
  const { created_at, expires_at, last_used_at, ...fields } = row
  return {
    ...fields,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    last_used_at: last_used_at?.toISOString() ?? null,
  }
}
