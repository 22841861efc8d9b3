import { MAX_SEARCH_HITS } from '#contract/search.ts'
import type { TicketStatus } from '#contract/tickets.ts'
import type { IdRange } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { containsText, nearestFirst } from '#lib/db/text-match.ts'

const MAX_SEARCHED_PER_APP = 100
const NAMES = [sql`ticket.title`]

type SearchedTickets = {
  readonly insiderOf: readonly string[]
  /** Apps of which the person sees the tickets that they filed. */
  readonly outsiderOf: readonly string[]
  readonly userId: string | null
  readonly by: { readonly range: IdRange } | { readonly title: string }
}

type FoundTicket = { id: string; app_id: string; title: string; status: TicketStatus }

/** Searches the newest tickets of each app by their title, or all by the beginning of their id. */
export async function searchTickets(db: Querier, { insiderOf, outsiderOf, userId, by }: SearchedTickets) {
  const inRange = 'range' in by ? sql`and id >= ${by.range.from} and id <= ${by.range.to}` : sql``
  return db.query<FoundTicket>(sql`
    select ticket.id, ticket.app_id, ticket.title, ticket.status from (
      ${newestOf(insiderOf, inRange)}
      union all
      ${newestOf(outsiderOf, sql`and reporter_id = ${userId} ${inRange}`)}
    ) ticket
    ${'title' in by ? sql`where ${containsText(NAMES, by.title)} order by ${nearestFirst(NAMES, by.title)},` : sql`order by`}
      ticket.id desc limit ${MAX_SEARCH_HITS}`)
}

function newestOf(appIds: readonly string[], condition: Sql): Sql {
  return sql`
    select newest.* from unnest(${appIds}::text[]) as app(id)
    cross join lateral (
      select id, app_id, title, status from tickets.tickets
      where app_id = app.id ${condition}
      order by id desc limit ${MAX_SEARCHED_PER_APP}
    ) newest`
}
