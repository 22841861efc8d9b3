import type { App } from '#contract/apps/apps.ts'
import type { AppDeps } from '../model/deps.ts'
import type { AppWithDeploys } from '../model/store.ts'

export function presentApp(row: AppWithDeploys, { urlOf }: Pick<AppDeps, 'urlOf'>): App {
  const { id, alias, name, state, build_command, start_command, health_path } = row
  return {
    id,
    alias,
    name,
    url: start_command === null ? null : urlOf(row.host_label),
    settings: { build_command, start_command, health_path },
    state,
    live_deploy:
      row.live_id === null
        ? null
        : {
            id: row.live_id,
            revision_id: row.live_revision_id!,
            revision_message: row.live_revision_message,
            live_at: row.live_at?.toISOString() ?? null,
          },
    latest_deploy:
      row.latest_id === null
        ? null
        : {
            id: row.latest_id,
            state: row.latest_state!,
            failure_code: row.latest_failure_code,
            created_at: row.latest_created_at!.toISOString(),
          },
    created_at: row.created_at.toISOString(),
  }
}
