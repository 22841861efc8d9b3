import { ServiceError } from '#contract/core/errors.ts'
import type { Role } from '#contract/core/roles.ts'
import type { PersonClaim, PersonSettings } from '#contract/data-sources/person-settings.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { People, PeopleAnswer, Person } from '#ports/people.ts'

/** The claims of the person who asks, by the settings that row-level security reads them from. */
export type PersonValues = Readonly<Record<string, string>>

/** The part of a verified caller that claims are taken from. */
type Asker = {
  readonly org_id: string
  readonly user_id: string | null
  readonly role: Role
  readonly support?: unknown
}

export type PersonDeps = { readonly people: Pick<People, 'member'>; readonly clock: Clock }
export type FindPersonValues = ReturnType<typeof createPersonValues>

/** A validated principal is used for as long, so that neither outlives the other. */
const TTL_MS = 5_000
const MAX_CACHED_PEOPLE = 10_000

/**
 * Reads the claims of a caller. They come from the validated credential and from the people of the organization, never
 * from a request. Throws FORBIDDEN for a caller that is no person.
 */
export function createPersonValues({ people, clock }: PersonDeps) {
  const members = createBoundedCache<string, Person>({ max: MAX_CACHED_PEOPLE, ttl: { ms: TTL_MS, clock } })
  const findEmail = async (orgId: string, userId: string): Promise<string> => {
    const key = `${orgId} ${userId}`
    const cached = members.get(key)
    if (cached) return cached.email
    const member = personIn(await people.member(orgId, userId))
    // Only here: to set it again would begin its time anew, and who asks often enough would keep a former address.
    members.set(key, member)
    return member.email
  }
  return async (settings: PersonSettings, { org_id, user_id, role, support }: Asker): Promise<PersonValues> => {
    if (user_id === null || support) throw noPerson()
    const claims = new Set(Object.values(settings))
    const email = claims.has('email') ? await findEmail(org_id, user_id) : ''
    const values: Record<PersonClaim, string> = { email, user_id, role }
    return Object.fromEntries(Object.entries(settings).map(([name, claim]) => [name, values[claim]]))
  }
}

function personIn(answer: PeopleAnswer<Person | undefined>): Person {
  if (answer.isKnown && answer.value) return answer.value
  if (answer.isKnown || !answer.isTemporary) throw noPerson()
  throw new ServiceError('UNAVAILABLE', 'Your email address could not be looked up. Try again in 5 seconds.', {
    retryAfterSeconds: 5,
  })
}

function noPerson(): ServiceError {
  return new ServiceError(
    'FORBIDDEN',
    'This data source shows each person their own rows, and this caller is no person whom svc knows. Ask as a member of the organization: signed in, with your own API token or through your agent. Support sessions and workloads cannot ask it.',
  )
}
