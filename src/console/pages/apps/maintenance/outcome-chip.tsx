import { Chip } from '#console/parts/chip.tsx'
import { presentOutcome } from '#contract/maintenance/outcomes.ts'
import { outcomeTone } from './outcome-tone.ts'

/** How a maintenance run ended, in the words of the contract. */
export function OutcomeChip({ outcome }: { outcome: string }) {
  return <Chip tone={outcomeTone(outcome)}>{presentOutcome(outcome).chip}</Chip>
}
