import { type ActivityRecord, listActivity } from '#contract/activity.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { namesOf } from './names.ts'
import { type RecordsDeps, toRecordFilter } from './record-filter.ts'
import { pageRecords, type RecordRow } from './store.ts'

export function listRoute({ db, clock, people, selectExposed }: RecordsDeps): Route {
  return route(listActivity, async ({ limit, cursor, source_id, ...filters }, { principal }) => {
    const filter = toRecordFilter({ ...filters, target: source_id }, principal, selectExposed)
    const rows = await pageRecords(db, filter, { before: readCursor(cursor), limit, now: clock.now() })
    const names = await namesOf(people, principal.org_id, rows)
    return toPage(rows, limit, (row) => present(row, names))
  })
}

function present(row: RecordRow, names: ReadonlyMap<string, string>): ActivityRecord {
  const { principal_kind, principal_id, asked_at, ...shown } = row
  return {
    ...shown,
    user_name: names.get(row.user_id ?? '') ?? null,
    principal: { kind: principal_kind, id: principal_id },
    asked_at: asked_at.toISOString(),
  }
}
