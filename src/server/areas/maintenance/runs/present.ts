import { OUTCOMES, TERMINAL_CODES } from '#contract/maintenance/outcomes.ts'
import type { MaintenanceRun } from '#contract/maintenance/runs.ts'
import type { RunRow } from '../claims/store.ts'

export function presentRun({ id, terminal_code, cost, created_at, ended_at, ...rest }: RunRow): MaintenanceRun {
  const outcome = terminal_code === null ? null : TERMINAL_CODES[terminal_code]
  return {
    execution_id: id,
    ...rest,
    terminal_code,
    cost: cost === null ? null : { amount: cost, currency: 'USD' },
    outcome,
    exit_code: outcome === null ? null : OUTCOMES[outcome].exit,
    created_at: created_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
  }
}
