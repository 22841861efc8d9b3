import type { Querier } from '#lib/db/db.ts'
import {
  displayName,
  knownPeople,
  type PeopleAnswer,
  type PeopleDirectory,
  type Person,
  unknownPeople,
} from '#ports/people.ts'
import { findOrg } from '../store/orgs.ts'
import { type MemberFilter, selectMembers } from './store.ts'

/**
 * Answers from auth's own tables, without a cache: a removed member is gone at the next question. An organization that
 * has no row here is unknown, for it may be one of an auth service hosted elsewhere.
 */
export function createPeopleDirectory({ db }: { db: Querier }): PeopleDirectory {
  const members = async (orgId: string, filter: MemberFilter): Promise<PeopleAnswer<readonly Person[]>> => {
    const rows = await selectMembers(db, orgId, filter)
    if (rows === undefined) return unknownPeople({ isTemporary: false })
    return knownPeople(
      rows.map(({ name, ...row }) => ({ ...row, display_name: displayName({ name, email: row.email }) })),
    )
  }
  return {
    ownersAndAdmins: (orgId) => members(orgId, { roles: ['owner', 'admin'] }),
    member: async (orgId, userId) => {
      const answer = await members(orgId, { userIds: [userId] })
      return answer.isKnown ? knownPeople(answer.value[0]) : answer
    },
    memberByEmail: async (orgId, email) => {
      const answer = await members(orgId, { email })
      return answer.isKnown ? knownPeople(answer.value[0]) : answer
    },
    displayNames: async (orgId, userIds) => {
      const answer = await members(orgId, { userIds })
      return answer.isKnown ? knownPeople(new Map(answer.value.map((one) => [one.user_id, one.display_name]))) : answer
    },
    findMembers: (orgId, text, limit) => members(orgId, { text, limit }),
    organization: async (orgId) => {
      const org = await findOrg(db, orgId)
      return org ? knownPeople({ name: org.name, slug: org.slug }) : unknownPeople({ isTemporary: false })
    },
  }
}
