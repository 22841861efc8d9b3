import type { Status } from '#console/parts/list/chip.tsx'
import { appStatus } from '#contract/apps/app-status.ts'
import type { Deploy, DeployFailure, DeployState } from '#contract/apps/deploys.ts'

export const DEPLOY_STATES: Record<DeployState, Status> = {
  queued: { word: 'Queued', tone: 'running' },
  building: { word: 'Building', tone: 'running' },
  starting: { word: 'Starting', tone: 'running' },
  live: { word: 'Live', tone: 'success' },
  retired: { word: 'Retired', tone: 'plain' },
  failed: { word: 'Failed', tone: 'failure' },
  superseded: { word: 'Superseded', tone: 'plain' },
}

export const DEPLOY_FAILURES: Record<DeployFailure, string> = {
  BUILD_FAILED: 'The build failed',
  START_FAILED: 'The app did not start',
  HEALTH_FAILED: 'The app did not become healthy',
  CRASH_LOOP: 'The app crashed again and again',
  HARMFUL_ANSWERS: 'Its answers ended a process of svc',
  TIMED_OUT: 'It took too long',
  INTERRUPTED: 'It was interrupted',
}

/** The chips of an app: what it does now, and beside that a later deploy that failed or is under way. */
export function describeApp(app: Parameters<typeof appStatus>[0]): readonly Status[] {
  const { now, later } = appStatus(app)
  const status = now === 'deleting' || now === 'not_deployed' ? WITHOUT_DEPLOY[now] : DEPLOY_STATES[now]
  return later === undefined ? [status] : [status, laterStatus(later)]
}

const WITHOUT_DEPLOY = {
  deleting: { word: 'Being deleted', tone: 'running' },
  not_deployed: { word: 'Not deployed', tone: 'plain' },
} as const

function laterStatus(state: DeployState): Status {
  const { word, tone } = DEPLOY_STATES[state]
  return { word: `Last deploy ${word.toLowerCase()}`, tone }
}

/** Returns which revision answers visitors although the newest deploy failed. */
export function stillServes(liveDeploy: object | null): string {
  return liveDeploy ? 'The revision that was live before still answers.' : 'No revision of the app is live.'
}

/** Whether the deploy goes on by itself. */
export function isUnderWay({ state }: { state: DeployState }): boolean {
  return DEPLOY_STATES[state].tone === 'running'
}

/** How long it took until the app was live or the deploy failed; undefined while it runs and if it never began. */
export function deploySeconds({ state, started_at, live_at, ended_at }: Deploy): number | undefined {
  const end = live_at ?? (state === 'failed' ? ended_at : null)
  if (started_at === null || end === null) return undefined
  return Math.max(0, (Date.parse(end) - Date.parse(started_at)) / 1000)
}
