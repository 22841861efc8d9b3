import type { ActivityRecord, CallOutcome } from '#contract/activity.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import type { Member } from '#edge/http/route.ts'
import type { Which } from './store.ts'

const TYPES = { functions: 'function', data_sources: 'data_source' } as const

type Filters = {
  type: keyof typeof TYPES
  target?: string | undefined
  source?: ActivityRecord['source'] | undefined
  user_id?: string | undefined
  outcome?: CallOutcome | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Returns the records that the caller may see and asked for: admins and owners see all, others their own. */
export function whichRecords(filters: Filters, { org_id, role, user_id, id }: Member): Which {
  return {
    org_id,
    type: TYPES[filters.type],
    by: roleAtLeast(role, 'admin') ? null : (user_id ?? id),
    user_id: filters.user_id ?? null,
    target: filters.target ?? null,
    source: filters.source ?? null,
    outcome: filters.outcome ?? null,
    from: filters.from === undefined ? null : new Date(filters.from),
    to: filters.to === undefined ? null : new Date(filters.to),
  }
}
