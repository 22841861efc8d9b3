import type { Ticket } from '#contract/tickets.ts'

/** A person without a name has left, or the auth service could not be asked; the id is known either way. */
export function nameOf(person: Ticket['reporter']): string {
  return person === null ? 'vendor staff' : (person.display_name ?? person.user_id)
}
