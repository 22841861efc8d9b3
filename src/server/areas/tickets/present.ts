import type { Ticket, TicketReply } from '#contract/tickets.ts'
import type { People } from '#ports/people.ts'
import type { ReplyRow } from './replies-store.ts'
import type { TicketRow } from './store.ts'

type Names = ReadonlyMap<string, string>

/** Returns names by user id. People who have left have none, and nobody has one while the auth service is silent. */
export async function namesOf(
  people: Pick<People, 'displayNames'>,
  orgId: string,
  userIds: readonly (string | null)[],
): Promise<Names> {
  const given = [...new Set(userIds.filter((id) => id !== null))]
  if (given.length === 0) return new Map()
  const answer = await people.displayNames(orgId, given)
  return answer.isKnown ? answer.value : new Map()
}

export function presentSummary(row: Omit<TicketRow, 'body'>, app: string, names: Names): Omit<Ticket, 'body'> {
  const { id, title, status, reporter_id, created_at, updated_at } = row
  return {
    id,
    app,
    title,
    status,
    reporter: personOf(reporter_id, names),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

export async function presentTicket(
  row: TicketRow,
  app: string,
  people: Pick<People, 'displayNames'>,
): Promise<Ticket> {
  const names = await namesOf(people, row.org_id, [row.reporter_id])
  return { ...presentSummary(row, app, names), body: row.body }
}

export function presentReply({ id, author_id, internal, body, created_at }: ReplyRow, names: Names): TicketReply {
  return { id, author: personOf(author_id, names), internal, body, created_at: created_at.toISOString() }
}

function personOf(user_id: string | null, names: Names): Ticket['reporter'] {
  return user_id === null ? null : { user_id, display_name: names.get(user_id) ?? null }
}
