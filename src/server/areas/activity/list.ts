import { type ActivityRecord, listActivity } from '#contract/activity.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Querier } from '#lib/db/db.ts'
import { type NamePeople, namesOf } from './names.ts'
import { pageRecords, type RecordRow } from './store.ts'
import { type SelectExposed, whichRecords } from './which.ts'

type Deps = { db: Querier; clock: Clock; people: NamePeople; selectExposed: SelectExposed }

export function listRoute({ db, clock, people, selectExposed }: Deps): Route {
  return route(listActivity, async ({ limit, cursor, source_id, ...filters }, { principal }) => {
    const which = whichRecords({ ...filters, target: source_id }, principal, selectExposed)
    const rows = await pageRecords(db, which, { before: readCursor(cursor), limit, now: clock.now() })
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
