import type { Check, CheckRun } from '#contract/checks/checks.ts'
import type { RunRow } from './runs-store.ts'
import type { CheckRow } from './store.ts'

export function presentCheck(row: CheckRow): Check {
  const { id, name, definition, schedule, threshold, enabled, state, consecutive_fails, last_verdict, created_by } = row
  return {
    id,
    name,
    definition,
    schedule,
    threshold,
    enabled,
    state,
    state_since: row.state_since.toISOString(),
    consecutive_fails,
    last_verdict,
    last_run_at: toText(row.last_run_at),
    next_run_at: toText(row.next_at),
    created_by,
    created_at: row.created_at.toISOString(),
  }
}

export function presentRun(row: RunRow): CheckRun {
  const { id, trigger, state, requested_by, verdict, code, detail, tokens } = row
  return {
    id,
    trigger,
    state,
    scheduled_at: toText(row.slot),
    requested_by,
    verdict,
    code,
    detail,
    tokens,
    created_at: row.created_at.toISOString(),
    started_at: toText(row.started_at),
    ended_at: toText(row.ended_at),
  }
}

function toText(date: Date | null): string | null {
  return date?.toISOString() ?? null
}
