import { Chip } from '#console/parts/chip.tsx'
import type { ProposalStatus } from '#contract/maintenance/proposals.ts'
import { showProposalStatus } from './proposal-words.ts'

export function ProposalChip({ status }: { status: ProposalStatus }) {
  const { word, tone } = showProposalStatus(status)
  return <Chip tone={tone}>{word}</Chip>
}
