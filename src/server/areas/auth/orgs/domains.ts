import { setDomains } from '#contract/auth/members.ts'
import { adminSetDomains } from '#contract/auth/support.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { countPeopleOf, findVerifiedEmail } from '../store/invitations.ts'
import { deleteDomainsExcept, insertDomains, listDomains, requireOrg } from '../store/orgs.ts'
import { isPublicMailDomain } from './public-mail-domains.ts'

export function domainRoutes({ db, clock }: AuthDeps): Route[] {
  return [
    route(setDomains, async ({ org_id, domains }, { principal }) => {
      return db.tx(async (tx) => {
        const before = await listDomains(tx, org_id)
        const added = domains.filter((domain) => !before.includes(domain))
        if (added.length > 0) await refuseForeignDomains(tx, principal.user_id, added)
        return replace(tx, org_id, domains, actorOf(principal), clock.now())
      })
    }),
    route(adminSetDomains, async ({ org_id, domains }) => {
      return db.tx(async (tx) => {
        await requireOrg(tx, org_id)
        return replace(tx, org_id, domains, 'operator', clock.now())
      })
    }),
  ]
}

async function replace(tx: Tx, orgId: string, domains: readonly string[], actor: string, at: Date) {
  await deleteDomainsExcept(tx, orgId, domains)
  const before = await listDomains(tx, orgId)
  await claimDomains(
    tx,
    orgId,
    domains.filter((domain) => !before.includes(domain)),
  )
  await audit(tx, { org_id: orgId, actor, action: 'domains.set', target: orgId, detail: { domains }, at })
  return { domains: await listDomains(tx, orgId) }
}

/** Adds domains to an organization. Refuses public mail hosts and domains of other organizations. */
export async function claimDomains(tx: Tx, orgId: string, domains: readonly string[]): Promise<void> {
  const distinct = [...new Set(domains)]
  const publicHosts = distinct.filter(isPublicMailDomain)
  if (publicHosts.length > 0)
    throw new ServiceError('INVALID_REQUEST', `Public email domains cannot be added: ${publicHosts.join(', ')}.`)
  const added = await insertDomains(tx, orgId, distinct)
  const taken = distinct.filter((domain) => !added.includes(domain))
  if (taken.length > 0) {
    throw new ServiceError('CONFLICT', `Already a domain of another organization: ${taken.join(', ')}.`)
  }
}

/**
 * An owner may add only the domain of their own verified email address, and only while nobody else has an address of it:
 * being the first of several people is no proof that the domain is theirs.
 */
async function refuseForeignDomains(tx: Tx, userId: string | null, added: readonly string[]): Promise<void> {
  const email = userId === null ? undefined : await findVerifiedEmail(tx, userId)
  const own = email?.split('@')[1]
  const foreign = added.filter((domain) => domain !== own)
  if (foreign.length === 0 && own !== undefined) {
    if ((await countPeopleOf(tx, own)) <= 1) return
    const detail = `Other people have an address of ${own} too, so your address does not prove that the domain is yours. Ask the operator to add it.`
    throw new ServiceError('FORBIDDEN', detail)
  }
  const detail = `You can add only the domain of your own verified email address. Ask the operator to add ${foreign.join(', ')}.`
  throw new ServiceError('FORBIDDEN', detail)
}
