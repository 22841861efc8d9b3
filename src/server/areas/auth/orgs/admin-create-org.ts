import { adminCreateOrg } from '#contract/auth/auth.ts'
import { type Route, route } from '#edge/http/route.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { ensureMember, ensureUser } from '../store/people.ts'
import { claimDomains } from './domains.ts'
import { makeOrg, presentOrg } from './make-org.ts'

export function adminCreateOrgRoute({ db, clock }: Pick<AuthDeps, 'db' | 'clock'>): Route {
  return route(adminCreateOrg, async ({ name, domains, admin_email, admin_name }) => {
    const now = clock.now()
    return db.tx(async (tx) => {
      const org = await makeOrg(tx, name, now)
      await claimDomains(tx, org.id, domains)
      const owner = admin_email === undefined ? null : await addOwner(tx, org.id, admin_email, admin_name ?? null, now)
      const detail = { domains, ...(owner && { owner: owner.user_id }) }
      await audit(tx, { org_id: org.id, actor: 'operator', action: 'org.created', target: org.id, detail, at: now })
      return { ...presentOrg(org, domains), owner }
    })
  })
}

async function addOwner(tx: Tx, orgId: string, email: string, name: string | null, now: Date) {
  const user = await ensureUser(tx, { id: newId('usr'), email, name, created_at: now })
  await ensureMember(tx, { org_id: orgId, user_id: user.id, role: 'owner', created_at: now })
  return { user_id: user.id, email: user.email }
}
