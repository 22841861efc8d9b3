import { OUTCOMES, TERMINAL_CODES } from '#contract/maintenance/outcomes.ts'
import type { MaintenanceRun } from '#contract/maintenance/runs.ts'
import type { Querier } from '#lib/db/db.ts'
import type { RunRow } from '../claims/store.ts'
import type { WatchRow } from '../watch/judge.ts'
import { presentWatch } from '../watch/present.ts'
import { findWatchesOf } from '../watch/store.ts'

/** Returns a function that shows these runs, with what became of the faults of their proposals. */
export async function presenterOf(db: Querier, rows: readonly RunRow[]): Promise<(row: RunRow) => MaintenanceRun> {
  const ids = rows.flatMap(({ proposal_id }) => (proposal_id === null ? [] : [proposal_id]))
  const watches = ids.length === 0 ? new Map<string, WatchRow>() : await findWatchesOf(db, ids)
  return (row) => presentRun(row, watches.get(row.proposal_id ?? ''))
}

/** Shows a run whose proposal is not deployed yet, if it has one. */
export function presentRun(
  { id, terminal_code, cost, created_at, ended_at, ...rest }: RunRow,
  watch?: WatchRow,
): MaintenanceRun {
  const outcome = terminal_code === null ? null : TERMINAL_CODES[terminal_code]
  return {
    execution_id: id,
    ...rest,
    terminal_code,
    cost: cost === null ? null : { amount: cost, currency: 'USD' },
    outcome,
    exit_code: outcome === null ? null : OUTCOMES[outcome].exit,
    after_deploy: presentWatch(watch),
    created_at: created_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
  }
}
