import { createOrg } from '#contract/auth/auth.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { MAX_ORGS_PER_USER } from '#contract/core/limits.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Route, route } from '#edge/http/route.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { ensureMember, lockAndCountOwnedOrgs } from '../store/people.ts'
import { makeOrg, presentOrg } from './make-org.ts'

export function createOrgRoute({ db, clock }: Pick<AuthDeps, 'db' | 'clock'>): Route {
  return route(createOrg, async ({ name }, { principal }) => {
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
  })
}
