import { listApps } from '#contract/apps/apps.ts'
import { listDeploys } from '#contract/apps/deploys.ts'
import { listMembers } from '#contract/auth/members.ts'
import type { Operation } from '#contract/core/operation.ts'
import { listSlimSources } from '#contract/data-sources/sources.ts'
import { listDatabases } from '#contract/databases.ts'
import { listProposals } from '#contract/maintenance/proposals.ts'
import { SEARCH_KINDS, type SearchKind, search } from '#contract/search.ts'
import { listTickets } from '#contract/tickets.ts'
import { mayRead } from '#edge/credentials/access.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { FindThings, ListSearchedApps } from '#ports/search.ts'
import { rankHits } from './rank.ts'

export { createFindPeople } from './find-people.ts'

type SearchDeps = {
  readonly listApps: ListSearchedApps
  readonly finders: Readonly<Record<SearchKind, FindThings>>
}

/** The list of each kind. A caller who may not read it finds nothing of the kind. */
const LISTS: Readonly<Record<SearchKind, Operation>> = {
  app: listApps,
  source: listSlimSources,
  database: listDatabases,
  person: listMembers,
  change: listProposals,
  ticket: listTickets,
  deploy: listDeploys,
}

export function createSearch(deps: SearchDeps): { readonly routes: readonly Route[] } {
  return {
    routes: [
      route(search, async ({ q }, { principal }) => {
        const kinds = SEARCH_KINDS.filter((kind) => mayRead(principal, LISTS[kind]))
        const query = { caller: principal, text: q, apps: await deps.listApps(principal) }
        const found = await Promise.all(kinds.map((kind) => deps.finders[kind](query)))
        const items = rankHits(
          found.flatMap((hits) => hits ?? []),
          q,
        )
        return { items, unavailable: kinds.filter((_, n) => found[n] === undefined) }
      }),
    ],
  }
}
