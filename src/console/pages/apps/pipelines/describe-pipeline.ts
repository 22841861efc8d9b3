import type { Status } from '#console/parts/list/chip.tsx'
import type { Pipeline, PipelineRunState, PipelineState } from '#contract/pipelines.ts'

export const RUN_STATES: Record<PipelineRunState, Status> = {
  queued: { word: 'Queued', tone: 'running' },
  running: { word: 'Running', tone: 'running' },
  succeeded: { word: 'Succeeded', tone: 'success' },
  failed: { word: 'Failed', tone: 'failure' },
  skipped: { word: 'Skipped', tone: 'plain' },
  missed: { word: 'Missed', tone: 'attention' },
  host_offline: { word: 'No worker', tone: 'attention' },
}

const STATES: Record<PipelineState, Status> = {
  ok: { word: 'OK', tone: 'success' },
  failed: { word: 'Failed', tone: 'failure' },
  host_offline: { word: 'No worker', tone: 'attention' },
  missed: { word: 'Missed', tone: 'attention' },
}

export function isRunUnderWay({ state }: { state: PipelineRunState }): boolean {
  return RUN_STATES[state].tone === 'running'
}

/** The state of a pipeline: that of its schedule, or of its last run if it runs by hand only. */
export function showPipelineState({
  enabled,
  state,
  last_run,
}: Pick<Pipeline, 'enabled' | 'state' | 'last_run'>): Status {
  if (!enabled) return { word: 'Disabled', tone: 'plain' }
  if (state !== null) return STATES[state]
  return last_run === null ? { word: 'Not run yet', tone: 'unknown' } : RUN_STATES[last_run.state]
}
