import { Chip } from '#console/parts/chip.tsx'
import type { TicketStatus } from '#contract/tickets.ts'
import { showTicketStatus } from './ticket-words.ts'

export function TicketChip({ status }: { status: TicketStatus }) {
  const { word, tone } = showTicketStatus(status)
  return <Chip tone={tone}>{word}</Chip>
}
