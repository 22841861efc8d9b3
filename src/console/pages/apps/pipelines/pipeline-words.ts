import type { Pipeline, PipelineRunState, PipelineState } from '#contract/pipelines.ts'

type Shown = {
  readonly word: string
  readonly tone: 'success' | 'attention' | 'failure' | 'running' | 'unknown' | 'plain'
}

const RUNS: Record<PipelineRunState, Shown> = {
  queued: { word: 'Queued', tone: 'running' },
  running: { word: 'Running', tone: 'running' },
  succeeded: { word: 'Succeeded', tone: 'success' },
  failed: { word: 'Failed', tone: 'failure' },
  skipped: { word: 'Skipped', tone: 'plain' },
  missed: { word: 'Missed', tone: 'attention' },
  host_offline: { word: 'No worker', tone: 'attention' },
}

const STATES: Record<PipelineState, Shown> = {
  ok: { word: 'OK', tone: 'success' },
  failed: { word: 'Failed', tone: 'failure' },
  host_offline: { word: 'No worker', tone: 'attention' },
  missed: { word: 'Missed', tone: 'attention' },
}

export function showRunState(state: PipelineRunState): Shown {
  return RUNS[state]
}

export function isRunUnderWay({ state }: { state: PipelineRunState }): boolean {
  return RUNS[state].tone === 'running'
}

/** The state of a pipeline: that of its schedule, or of its last run if it runs by hand only. */
export function showPipelineState({
  enabled,
  state,
  last_run,
}: Pick<Pipeline, 'enabled' | 'state' | 'last_run'>): Shown {
  if (!enabled) return { word: 'Disabled', tone: 'plain' }
  if (state !== null) return STATES[state]
  return last_run === null ? { word: 'Not run yet', tone: 'unknown' } : RUNS[last_run.state]
}
