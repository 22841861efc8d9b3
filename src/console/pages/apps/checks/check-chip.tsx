import { Chip } from '#console/parts/chip.tsx'
import type { Check } from '#contract/checks/checks.ts'
import { showCheckState } from './check-words.ts'

export function CheckChip({ check }: { check: Pick<Check, 'state' | 'enabled'> }) {
  const { word, tone } = showCheckState(check)
  return <Chip tone={tone}>{word}</Chip>
}
