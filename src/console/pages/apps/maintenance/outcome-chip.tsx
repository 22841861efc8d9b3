import type { ComponentProps } from 'react'
import { Chip } from '#console/parts/list/chip.tsx'
import { type Outcome, presentOutcome } from '#contract/maintenance/outcomes.ts'

const TONES: Record<Outcome, ComponentProps<typeof Chip>['tone']> = {
  found_nothing: 'success',
  finding_recorded: 'attention',
  proposed: 'attention',
  budget_exhausted: 'attention',
  skipped: 'plain',
  agent_error: 'failure',
  fenced: 'plain',
}

/** How a maintenance run ended, in the words of the contract. An outcome that this page does not know is neither good nor bad. */
export function OutcomeChip({ outcome }: { outcome: string }) {
  const tone = Object.hasOwn(TONES, outcome) ? TONES[outcome as Outcome] : 'unknown'
  return <Chip tone={tone}>{presentOutcome(outcome).chip}</Chip>
}
