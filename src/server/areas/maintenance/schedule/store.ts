import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { LOOKED } from '../claims/last-look.ts'

export type EnabledApp = {
  org_id: string
  app_id: string
  nightly_cron: string
  timezone: string
  cooldown_hours: number
  since: Date
  /** The person who made that change. */
  since_by: string
  last_complete_slot: Date | null
  last_decided_slot: Date | null
}

/** Terminal codes of runs that looked at everything. The others do not begin a cooldown. */
const COMPLETE: readonly TerminalCode[] = [...LOOKED, 'budget_exhausted']

/** Apps that are switched on, those that waited longest for a complete run first. */
export function listEnabled(db: Querier): Promise<EnabledApp[]> {
  return db.query(sql`
    select org.org_id, app.app_id, nightly_cron, timezone, cooldown_hours,
      greatest(org.updated_at, app.updated_at) as since,
      case when app.updated_at > org.updated_at then app.updated_by else org.updated_by end as since_by,
      (select max(slot_at) from maintenance.runs
        where runs.app_id = app.app_id and terminal_code = any(${COMPLETE}::text[])) as last_complete_slot,
      (select max(slot_at) from maintenance.nights where nights.app_id = app.app_id) as last_decided_slot
    from maintenance.orgs org join maintenance.apps app on app.org_id = org.org_id
    where org.enabled and app.enabled
    order by last_complete_slot nulls first, app.app_id`)
}

type NightRow = { appId: string; slotAt: Date; decision: 'started' | 'cooldown' | 'missed'; at: Date }

/** Returns false if the night was decided before. */
export async function recordNight(tx: Tx, { appId, slotAt, decision, at }: NightRow): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into maintenance.nights (app_id, slot_at, decision, decided_at)
    values (${appId}, ${slotAt}, ${decision}, ${at})
    on conflict do nothing
    returning app_id`)
  return rows.length > 0
}

export async function markSkipped(tx: Tx, appId: string, slotAt: Date): Promise<void> {
  await tx.query(sql`
    update maintenance.nights set decision = 'skipped' where app_id = ${appId} and slot_at = ${slotAt}`)
}
