import { listAudit } from '#contract/auth/members.ts'
import { adminListAudit } from '#contract/auth/support.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { AuthDeps } from './model/deps.ts'
import { pageAudit } from './store/members.ts'

export function auditRoutes({ db }: AuthDeps): Route[] {
  return [
    route(listAudit, async ({ limit, cursor, ...filter }, { principal }) => {
      const isOfSupport = !roleAtLeast(principal.role, 'owner')
      const rows = await pageAudit(db, { ...filter, isOfSupport }, { before: readCursor(cursor), limit })
      return toPage(rows, limit, (row) => ({ ...row, at: row.at.toISOString() }))
    }),
    route(adminListAudit, async ({ limit, cursor }) => {
      const rows = await pageAudit(db, { actor: 'operator' }, { before: readCursor(cursor), limit })
      return toPage(rows, limit, (row) => ({ ...row, at: row.at.toISOString() }))
    }),
  ]
}
