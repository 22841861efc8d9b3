import { listOrgs, me } from '#contract/auth/members.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { AuthDeps } from './deps.ts'
import { findMe, pageOrgsOf } from './store/members.ts'

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
      const rows = principal.user_id === null ? [] : await pageOrgsOf(db, principal.user_id, readCursor(cursor), limit)
      return toPage(rows, limit, (row) => ({ ...row, created_at: row.created_at.toISOString() }))
    }),
  ]
}
