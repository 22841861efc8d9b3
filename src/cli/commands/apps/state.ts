import type { App } from '#contract/apps/apps.ts'

/** Returns in few words what an app does now and what became of its last deploy. */
export function stateOf({ state, live_deploy: live, latest_deploy: latest }: App): string {
  if (state === 'deleting') return 'deleting'
  if (latest === null) return 'not deployed'
  if (live === null || live.id === latest.id) return latest.state
  return latest.state === 'retired' || latest.state === 'superseded' ? 'live' : `live, ${latest.state}`
}
