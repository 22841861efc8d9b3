import type { Outcome } from '#contract/maintenance/outcomes.ts'

type Tone = 'success' | 'attention' | 'failure' | 'plain' | 'unknown'

const TONES: Record<Outcome, Tone> = {
  found_nothing: 'success',
  finding_recorded: 'attention',
  proposed: 'attention',
  budget_exhausted: 'attention',
  skipped: 'plain',
  agent_error: 'failure',
  fenced: 'plain',
}

/** The colour of an outcome. One that this page does not know is neither good nor bad. */
export function outcomeTone(outcome: string): Tone {
  return Object.hasOwn(TONES, outcome) ? TONES[outcome as Outcome] : 'unknown'
}
