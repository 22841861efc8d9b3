import { type ActivityRecord, listActivity } from '#contract/activity.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { pageRecords, type RecordRow } from './store.ts'

const TYPES = { functions: 'function', data_sources: 'data_source' } as const

export function listRoute({ db }: { db: Querier }): Route {
  return route(listActivity, async ({ type, source_id, limit, cursor }, { principal }) => {
    const rows = await pageRecords(db, {
      org_id: principal.org_id,
      type: TYPES[type],
      by: whose(principal),
      target: source_id ?? null,
      before: readCursor(cursor),
      limit,
    })
    return toPage(rows, limit, present)
  })
}

function whose({ role, user_id, id }: Member): string | null {
  return roleAtLeast(role, 'admin') ? null : (user_id ?? id)
}

function present({ principal_kind, principal_id, asked_at, ...row }: RecordRow): ActivityRecord {
  return { ...row, principal: { kind: principal_kind, id: principal_id }, asked_at: asked_at.toISOString() }
}
