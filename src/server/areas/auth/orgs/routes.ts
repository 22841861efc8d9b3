import { adminCreateOrg, createOrg } from '#contract/auth/auth.ts'
import { renameOrg } from '#contract/auth/members.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { MAX_ORGS_PER_USER } from '#contract/core/limits.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { newId } from '#edge/ids.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { listDomains, lockOrg, updateOrgName } from '../store/orgs.ts'
import { ensureMember, ensureUser, lockAndCountOwnedOrgs } from '../store/people.ts'
import { claimDomains } from './domains.ts'
import { makeOrg, presentOrg } from './make-org.ts'

export function orgRoutes({ db, clock }: Pick<AuthDeps, 'db' | 'clock'>): Route[] {
  return [
    route(createOrg, async ({ name }, { principal }) => {
      const userId = principal.user_id
      if (userId === null) throw new ServiceError('FORBIDDEN', 'Only a person can own an organization.')
      const now = clock.now()
      return db.tx(async (tx) => {
        if ((await lockAndCountOwnedOrgs(tx, userId)) >= MAX_ORGS_PER_USER) {
          throw new ServiceError('ORG_LIMIT', `A person can own at most ${MAX_ORGS_PER_USER} organizations.`)
        }
        const org = await makeOrg(tx, name, now)
        await ensureMember(tx, { org_id: org.id, user_id: userId, role: 'owner', created_at: now })
        await audit(tx, { org_id: org.id, actor: actorOf(principal), action: 'org.created', target: org.id, at: now })
        return presentOrg(org, [])
      })
    }),
    route(adminCreateOrg, async ({ name, domains, admin_email, admin_name }) => {
      const now = clock.now()
      return db.tx(async (tx) => {
        const org = await makeOrg(tx, name, now)
        await claimDomains(tx, org.id, domains)
        const owner =
          admin_email === undefined ? null : await addOwner(tx, org.id, admin_email, admin_name ?? null, now)
        const detail = { domains, ...(owner && { owner: owner.user_id }) }
        await audit(tx, { org_id: org.id, actor: 'operator', action: 'org.created', target: org.id, detail, at: now })
        return { ...presentOrg(org, domains), owner }
      })
    }),
    route(renameOrg, async ({ org_id, name }, { principal }) => {
      const org = await db.tx(async (tx) => {
        const before = await lockOrg(tx, org_id)
        if (!before) throw notFound('organization')
        if (before.name === name) return before
        await updateOrgName(tx, org_id, name)
        const detail = { from: before.name, to: name }
        const entry = { org_id, actor: actorOf(principal), action: 'org.renamed', target: org_id }
        await audit(tx, { ...entry, detail, at: clock.now() })
        return { ...before, name }
      })
      return presentOrg(org, await listDomains(db, org_id))
    }),
  ]
}

async function addOwner(tx: Tx, orgId: string, email: string, name: string | null, now: Date) {
  const user = await ensureUser(tx, { id: newId('usr'), email, name, created_at: now })
  await ensureMember(tx, { org_id: orgId, user_id: user.id, role: 'owner', created_at: now })
  return { user_id: user.id, email: user.email }
}
