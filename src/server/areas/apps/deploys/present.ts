import type { Deploy } from '#contract/apps/deploys.ts'
import type { DeployRow } from './store.ts'

export function presentDeploy(row: DeployRow): Deploy {
  const { id, revision_id, revision_message, kind, state, failure_code, failure_detail, requested_by } = row
  return {
    id,
    revision_id,
    revision_message,
    kind,
    state,
    failure_code,
    failure_detail,
    requested_by,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    live_at: row.live_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  }
}
