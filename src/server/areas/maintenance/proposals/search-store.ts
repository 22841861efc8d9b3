import { MAX_SEARCH_HITS } from '#contract/search.ts'
import type { IdRange } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { containsText, nearestFirst } from '#lib/db/text-match.ts'

const MAX_SEARCHED_PER_APP = 100
const NAMES = [sql`proposal.summary`]

type SearchedProposals = {
  readonly appIds: readonly string[]
  readonly by: { readonly range: IdRange } | { readonly summary: string }
}

/** Searches the newest proposals of each app by their summary, or all by the beginning of their id. */
export async function searchProposals(db: Querier, { appIds, by }: SearchedProposals) {
  const inRange = 'range' in by ? sql`and id >= ${by.range.from} and id <= ${by.range.to}` : sql``
  return db.query<{ id: string; app_id: string; summary: string }>(sql`
    select proposal.id, proposal.app_id, proposal.summary from unnest(${appIds}::text[]) as app(id)
    cross join lateral (
      select id, app_id, summary from maintenance.proposals
      where app_id = app.id ${inRange}
      order by id desc limit ${MAX_SEARCHED_PER_APP}
    ) proposal
    ${'summary' in by ? sql`where ${containsText(NAMES, by.summary)} order by ${nearestFirst(NAMES, by.summary)},` : sql`order by`}
      proposal.id desc limit ${MAX_SEARCH_HITS}`)
}
