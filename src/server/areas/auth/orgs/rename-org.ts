import { renameOrg } from '#contract/auth/members.ts'
import { notFound } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Route, route } from '#edge/http/route.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { listDomains, lockOrg, updateOrgName } from '../store/orgs.ts'

export function renameOrgRoute({ db, clock }: Pick<AuthDeps, 'db' | 'clock'>): Route {
  return route(renameOrg, async ({ org_id, name }, { principal }) => {
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
    return { ...org, domains: await listDomains(db, org_id), created_at: org.created_at.toISOString() }
  })
}
