import type { Status } from '#console/parts/list/chip.tsx'
import type { TicketStatus } from '#contract/tickets.ts'

export const STATUS_CHOICES = [
  { value: 'open', label: 'Open' },
  { value: 'in_progress', label: 'In progress' },
  { value: 'done', label: 'Done' },
] as const satisfies readonly { value: TicketStatus; label: string }[]

const TONES = { open: 'attention', in_progress: 'running', done: 'success' } as const

export function showTicketStatus(status: TicketStatus): Status {
  return { word: STATUS_CHOICES.find(({ value }) => value === status)!.label, tone: TONES[status] }
}

type Person = { readonly user_id: string; readonly display_name: string | null } | null

/** Names the person of a ticket or a reply. */
export function nameOfPerson(person: Person): string {
  if (person === null) return 'vendor support'
  return person.display_name ?? person.user_id
}
