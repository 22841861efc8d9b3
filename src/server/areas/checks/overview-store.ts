import type { CheckState, Verdict } from '#contract/checks/checks.ts'
import { HISTORY_CELLS } from '#contract/checks/overview.ts'
import { lowestId } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { RunCounts } from './runs-state.ts'

const MAX_FAILING_CHECKS = 100
/** A run is queued before it ends; one that began longer before the time is left out. */
export const MAX_RUN_MS = 3_600_000

type FailingRow = { id: string; name: string; state: CheckState; state_since: Date; app_id: string }

export async function listFailing(db: Querier, orgId: string): Promise<FailingRow[]> {
  return db.query(sql`
    select id, name, state, state_since, app_id from checks.checks
    where org_id = ${orgId} and enabled and state in ('failing', 'fail', 'error', 'indeterminate')
    order by state_since desc, id desc limit ${MAX_FAILING_CHECKS}`)
}

export type CellRow = RunCounts & { readonly check_id: string; readonly verdict: Verdict | null }

/** Returns all cells of all checks of the app, also those without a run, sorted by check name and time. */
export async function readCells(db: Querier, appId: string, from: Date, to: Date): Promise<CellRow[]> {
  const first = lowestId('ckr', new Date(from.getTime() - MAX_RUN_MS))
  return db.query(sql`
    with counted as (
      select run.check_id,
        width_bucket(extract(epoch from run.ended_at), extract(epoch from ${from}::timestamptz),
                     extract(epoch from ${to}::timestamptz), ${HISTORY_CELLS}::int) as place,
        count(*)::int as runs,
        (count(*) filter (where run.verdict = 'pass'))::int as passed,
        (count(*) filter (where run.verdict = 'fail'))::int as failed,
        (count(*) filter (where run.verdict = 'error'))::int as errors,
        min(array_position(array['fail', 'error', 'indeterminate', 'pass'], run.verdict)) as worst
      from checks.runs run join checks.checks on checks.id = run.check_id
      where checks.app_id = ${appId} and run.state = 'ended' and run.id >= ${first}
        and run.ended_at >= ${from} and run.ended_at < ${to}
      group by run.check_id, place
    )
    select checks.id as check_id, (array['fail', 'error', 'indeterminate', 'pass'])[worst] as verdict,
      coalesce(runs, 0) as runs, coalesce(passed, 0) as passed,
      coalesce(failed, 0) as failed, coalesce(errors, 0) as errors
    from checks.checks cross join generate_series(1, ${HISTORY_CELLS}::int) as cell (place)
    left join counted on counted.check_id = checks.id and counted.place = cell.place
    where checks.app_id = ${appId}
    order by checks.name, checks.id, cell.place`)
}
