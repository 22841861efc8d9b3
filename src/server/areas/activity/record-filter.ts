import type { z } from 'zod'
import type { activityStatistics } from '#contract/activity.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { listSources } from '#contract/data-sources/sources.ts'
import type { Member } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Sql } from '#lib/db/sql.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { NamePeople } from './names.ts'
import type { RecordFilter } from './store.ts'

const TYPES = { functions: 'function', data_sources: 'data_source' } as const

type Filters = Omit<z.output<typeof activityStatistics.input>, 'bucket' | 'timezone'>

/** Returns a query for the ids of the sources that every member of the organization may know of. */
export type SelectExposed = (orgId: string) => Sql

/** Dependencies of the routes that show records. */
export type RecordsDeps = { db: Querier; clock: Clock; people: NamePeople; selectExposed: SelectExposed }

/**
 * Returns the records that the caller may see and asked for: admins and owners see all, others their own. The names of
 * sources that are not exposed are for developers and above, as in the list of sources.
 */
export function toRecordFilter(
  filters: Filters,
  { org_id, role, user_id, id }: Member,
  selectExposed: SelectExposed,
): RecordFilter {
  const type = TYPES[filters.type]
  const knowsAll = type === 'function' || roleAtLeast(role, listSources.access.role)
  return {
    org_id,
    type,
    knowable: knowsAll ? undefined : selectExposed(org_id),
    by: roleAtLeast(role, 'admin') ? null : (user_id ?? id),
    user_id: filters.user_id ?? null,
    target: filters.target ?? null,
    source: filters.source ?? null,
    outcome: filters.outcome ?? null,
    from: filters.from === undefined ? null : new Date(filters.from),
    to: filters.to === undefined ? null : new Date(filters.to),
  }
}
