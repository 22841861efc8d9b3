import type { Check } from '#contract/checks/checks.ts'
import { Chip } from '../../../parts/chip.tsx'
import { showCheckState } from './check-words.ts'

export function CheckChip({ check }: { check: Pick<Check, 'state' | 'enabled'> }) {
  const { word, tone } = showCheckState(check)
  return <Chip tone={tone}>{word}</Chip>
}
