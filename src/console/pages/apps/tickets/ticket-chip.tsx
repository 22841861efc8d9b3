import type { TicketStatus } from '#contract/tickets.ts'
import { Chip } from '../../../parts/chip.tsx'
import { showTicketStatus } from './ticket-words.ts'

export function TicketChip({ status }: { status: TicketStatus }) {
  const { word, tone } = showTicketStatus(status)
  return <Chip tone={tone}>{word}</Chip>
}
