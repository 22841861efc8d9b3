import { refuseInTransaction } from '#lib/db/transaction-guard.ts'
import { createBoundedCache, loadOnce } from '#lib/memory/bounded-cache.ts'
import { knownPeople, type PeopleAnswer, type PeopleDirectory, type Person } from '#ports/people.ts'
import type { HostedPeopleDeps } from './deps.ts'
import { loadOrganization, type OrganizationSnapshot } from './load.ts'
import { createTokens } from './tokens.ts'

// As long as a validated principal: after this time a removed member is gone here too.
const SNAPSHOT_MS = 5_000
const MAX_CACHED_ORGANIZATIONS = 100

/**
 * Answers from an auth service hosted elsewhere, with an API token for each organization. An organization without a
 * usable token is unknown; so is every one, for the time being, while the auth service does not answer.
 */
export function createHostedPeopleDirectory(deps: HostedPeopleDeps): PeopleDirectory {
  const tokens = createTokens(deps)
  const cache = createBoundedCache<string, Promise<PeopleAnswer<OrganizationSnapshot>>>({
    max: MAX_CACHED_ORGANIZATIONS,
    ttl: { ms: SNAPSHOT_MS, clock: deps.clock },
  })
  const load = async (orgId: string): Promise<PeopleAnswer<OrganizationSnapshot>> => {
    const signal = AbortSignal.timeout(deps.timeLimitMs)
    const found = await tokens.find(orgId, signal)
    if (!found.isKnown) return found
    const answer = await loadOrganization(deps, orgId, found.value, signal)
    // The token may have been revoked since it was checked.
    if (!answer.isKnown && !answer.isTemporary) tokens.forget(found.value)
    return answer
  }
  /** Failures are cached too, so that a busy caller does not ask a service that is down for every message. */
  const ask = async <T>(orgId: string, read: (snapshot: OrganizationSnapshot) => T): Promise<PeopleAnswer<T>> => {
    refuseInTransaction('asking about people')
    const answer = await loadOnce(cache, orgId, () => load(orgId))
    return answer.isKnown ? knownPeople(read(answer.value)) : answer
  }
  return {
    ownersAndAdmins: (orgId) =>
      ask(orgId, ({ members }) => [...members.values()].filter(({ role }) => role === 'owner' || role === 'admin')),
    member: (orgId, userId) => ask(orgId, ({ members }) => members.get(userId)),
    memberByEmail: (orgId, email) =>
      ask(orgId, ({ members }) =>
        [...members.values()].find((member) => member.email.toLowerCase() === email.toLowerCase()),
      ),
    displayNames: (orgId, userIds) =>
      ask(orgId, ({ members }) => {
        const found = userIds.map((id) => members.get(id)).filter((member) => member !== undefined)
        return new Map(found.map((member) => [member.user_id, member.display_name]))
      }),
    findMembers: (orgId, text, limit) =>
      ask(orgId, ({ members }) => [...members.values()].filter((member) => isNamedBy(member, text)).slice(0, limit)),
    organization: (orgId) => ask(orgId, ({ name, slug }) => ({ name, slug })),
  }
}

function isNamedBy({ display_name, email, user_id }: Person, text: string): boolean {
  return user_id === text || [display_name, email].some((name) => name.toLowerCase().includes(text.toLowerCase()))
}
