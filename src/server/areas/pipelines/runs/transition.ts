import type { EventType } from '#contract/core/events.ts'
import type { PipelineState } from '#contract/pipelines.ts'

export type RunOutcome = 'succeeded' | 'failed' | 'host_offline' | 'missed' | 'skipped'

type Ended = {
  readonly outcome: RunOutcome
  readonly trigger: 'schedule' | 'manual'
  /** Of the pipeline, at the time when the run ended. */
  readonly isEnabled: boolean
  readonly isScheduled: boolean
}

type PipelineEvent = Extract<EventType, `pipeline.run.${string}`>
type Transition = { readonly state: PipelineState; readonly event: PipelineEvent | undefined }

/**
 * Returns the state that the end of a run leads to and the event that reports it, or undefined when the state stays as
 * it is. A skipped run, a disabled pipeline and one without a schedule change nothing. A run by hand tells whether the
 * pipeline works, but says nothing about its schedule.
 */
export function transition(state: PipelineState | null, ended: Ended): Transition | undefined {
  const next = stateAfter(ended)
  if (next === undefined || next === state) return undefined
  if (next !== 'ok') return { state: next, event: `pipeline.run.${next}` }
  return { state: 'ok', event: state === null ? undefined : 'pipeline.run.recovered' }
}

function stateAfter({ outcome, trigger, isEnabled, isScheduled }: Ended): PipelineState | undefined {
  if (!isEnabled || !isScheduled || outcome === 'skipped') return undefined
  if (outcome === 'succeeded') return 'ok'
  if (outcome === 'failed') return 'failed'
  return trigger === 'schedule' ? outcome : undefined
}
