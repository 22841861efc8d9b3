import type { ProposalStatus } from '#contract/maintenance/proposals.ts'
import { Chip } from '../../../parts/chip.tsx'
import { showProposalStatus } from './proposal-words.ts'

export function ProposalChip({ status }: { status: ProposalStatus }) {
  const { word, tone } = showProposalStatus(status)
  return <Chip tone={tone}>{word}</Chip>
}
