import type { Pipeline, PipelineRun } from '#contract/pipelines.ts'
import type { PipelineRow } from '../registry/store.ts'
import type { RunRow } from './store.ts'

export function presentRun(row: RunRow): PipelineRun {
  const { id, state, trigger, requested_by, reason_code, reason } = row
  return {
    id,
    state,
    trigger,
    scheduled_at: row.scheduled_at?.toISOString() ?? null,
    requested_by,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    reason_code,
    reason,
  }
}

export function presentPipeline(
  row: PipelineRow,
  { isServed, lastRun }: { isServed: boolean; lastRun: RunRow | undefined },
): Pipeline {
  const { id, name, description, schedule, timezone, concurrency, timeout_seconds, enabled, state } = row
  return {
    id,
    name,
    description,
    schedule,
    timezone,
    concurrency,
    timeout_seconds,
    enabled,
    state,
    state_since: row.state_since?.toISOString() ?? null,
    next_run_at: row.next_at?.toISOString() ?? null,
    is_served: isServed,
    last_run: lastRun ? presentRun(lastRun) : null,
  }
}
