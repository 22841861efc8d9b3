import type { App } from './apps.ts'
import type { DeployState } from './deploys.ts'

type Facts = {
  readonly state: App['state']
  readonly live_deploy: Pick<NonNullable<App['live_deploy']>, 'id'> | null
  readonly latest_deploy: Pick<NonNullable<App['latest_deploy']>, 'id' | 'state'> | null
}

type AppStatus = {
  /** The state of the app itself: `live` as long as a deploy answers requests, whatever became of later ones. */
  readonly now: 'deleting' | 'not_deployed' | DeployState
  /** State of a later deploy that did not take over: one that failed, or one under way. */
  readonly later?: DeployState
}

/** Returns what an app does now, and apart from that what became of its last deploy. */
export function appStatus({ state, live_deploy: live, latest_deploy: latest }: Facts): AppStatus {
  if (state === 'deleting') return { now: 'deleting' }
  if (latest === null) return { now: 'not_deployed' }
  if (live === null || live.id === latest.id) return { now: latest.state }
  return latest.state === 'retired' || latest.state === 'superseded'
    ? { now: 'live' }
    : { now: 'live', later: latest.state }
}
