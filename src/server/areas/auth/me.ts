import { listOrgs, me, nameMembers, readOrg } from '#contract/auth/members.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { displayName } from '#ports/people.ts'
import type { AuthDeps } from './model/deps.ts'
import { presentOrg } from './orgs/make-org.ts'
import { selectMembers } from './people/store.ts'
import { findMe, pageOrgsOf } from './store/members.ts'
import { listDomains, requireOrg } from './store/orgs.ts'

export function meRoutes({ db }: AuthDeps): Route[] {
  return [
    route(me, async (_, { principal }) => {
      const { kind, user_id, org_id, role } = principal
      const row = await findMe(db, user_id, org_id)
      return {
        kind,
        user: user_id !== null && row.email !== null ? { id: user_id, email: row.email, name: row.name } : null,
        org: org_id !== null && row.org_name !== null ? { id: org_id, name: row.org_name, slug: row.slug! } : null,
        role,
        read_only: principal.read_only ?? false,
      }
    }),
    route(listOrgs, async ({ limit, cursor }, { principal }) => {
      const { kind, user_id, org_id } = principal
      // A token is of one organization. Whoever holds it learns nothing about the others of its person.
      const page = { before: readCursor(cursor), limit, only: kind === 'api_token' ? org_id : null }
      const rows = user_id === null ? [] : await pageOrgsOf(db, user_id, page)
      return toPage(rows, limit, (row) => ({ ...row, created_at: row.created_at.toISOString() }))
    }),
    route(readOrg, async ({ org_id }) => {
      return presentOrg(await requireOrg(db, org_id), await listDomains(db, org_id))
    }),
    route(nameMembers, async ({ org_id, user_ids }) => {
      const members = (await selectMembers(db, org_id, { userIds: user_ids.split(',') })) ?? []
      return { items: members.map((member) => ({ user_id: member.user_id, name: displayName(member) })) }
    }),
  ]
}
