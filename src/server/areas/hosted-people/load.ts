import type { z } from 'zod'
import { listMembers, me } from '#contract/auth/members.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { MAX_PAGE_LIMIT } from '#contract/core/limits.ts'
import { displayName, knownPeople, type PeopleAnswer, type Person, unknownPeople } from '#ports/people.ts'
import { clientFor, type HostedPeopleDeps } from './deps.ts'

export type OrganizationSnapshot = {
  readonly name: string
  readonly slug: string
  /** By user id, sorted by it. */
  readonly members: ReadonlyMap<string, Person>
}

type MemberPage = z.output<typeof listMembers.output>

// Bounds the memory of one organization.
const MAX_MEMBERS = 20_000

export async function loadOrganization(
  deps: HostedPeopleDeps,
  orgId: string,
  token: string,
  signal: AbortSignal,
): Promise<PeopleAnswer<OrganizationSnapshot>> {
  try {
    const { org } = await clientFor(deps, token).call(me, {}, { signal })
    const members = await loadMembers(deps, orgId, token, signal)
    // A token is for one organization as long as it lives.
    if (org?.id !== orgId || members === undefined) return unknownPeople({ isTemporary: false })
    return knownPeople({ name: org.name, slug: org.slug, members })
  } catch (error) {
    deps.log.warn({ error, org_id: orgId }, 'the hosted auth service did not say who the people of an organization are')
    return unknownPeople({ isTemporary: !isRefusal(error) })
  }
}

/** Returns undefined for an organization with more members than are kept. */
async function loadMembers(
  deps: HostedPeopleDeps,
  org_id: string,
  token: string,
  signal: AbortSignal,
): Promise<Map<string, Person> | undefined> {
  const client = clientFor(deps, token)
  const people: Person[] = []
  let cursor: string | undefined
  do {
    const page: MemberPage = await client.call(listMembers, { org_id, limit: MAX_PAGE_LIMIT, cursor }, { signal })
    people.push(...page.items.map(toPerson))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && people.length < MAX_MEMBERS)
  if (cursor !== undefined) {
    deps.log.error({ org_id }, `an organization has more than ${MAX_MEMBERS} members: its people are unknown`)
    return undefined
  }
  people.sort((one, other) => (one.user_id < other.user_id ? -1 : 1))
  return new Map(people.map((person) => [person.user_id, person]))
}

function toPerson({ user_id, email, name, role }: MemberPage['items'][number]): Person {
  return { user_id, email, display_name: displayName({ name, email }), role }
}

/** The token was revoked, or its owner lost the role or the membership: asking again changes nothing. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && ['INVALID_TOKEN', 'FORBIDDEN', 'NOT_FOUND'].includes(error.code)
}
