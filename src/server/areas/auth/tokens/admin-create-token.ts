import { adminCreateToken } from '#contract/auth/auth.ts'
import { notFound } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/http/route.ts'
import { newId } from '#edge/ids.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { makeToken } from '../model/token-format.ts'
import { findOrg } from '../store/orgs.ts'
import { ensureMember, ensureUser } from '../store/people.ts'
import { insertToken } from '../store/tokens.ts'

export function adminCreateTokenRoute({ db, clock, keys }: AuthDeps): Route {
  return route(adminCreateToken, async ({ org_id, email, role, name }) => {
    const now = clock.now()
    const token = makeToken()
    const id = newId('tok')
    return db.tx(async (tx) => {
      if (!(await findOrg(tx, org_id))) throw notFound('organization')
      const user = await ensureUser(tx, { id: newId('usr'), email, name: null, created_at: now })
      const actualRole = await ensureMember(tx, { org_id, user_id: user.id, role, created_at: now })
      const row = { id, org_id, user_id: user.id, name, created_at: now, expires_at: null }
      await insertToken(tx, { ...row, hash: keys.hash('api_token', token), epoch: keys.epoch })
      const detail = { user_id: user.id, role: actualRole, name }
      await audit(tx, { org_id, actor: 'operator', action: 'token.created', target: id, detail, at: now })
      return { ...row, token, email: user.email, role: actualRole, created_at: now.toISOString() }
    })
  })
}
