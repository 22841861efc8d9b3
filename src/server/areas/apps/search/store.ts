import type { DeployState } from '#contract/apps/deploys.ts'
import { MAX_SEARCH_HITS } from '#contract/search.ts'
import type { IdRange } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { SearchedApp } from '#ports/search.ts'

type Person = { readonly userId: string | null; readonly isDeveloper: boolean }

/** Active apps of the organization, which has at most `MAX_APPS_PER_ORG`. */
export async function selectSearchedApps(db: Querier, orgId: string, { userId, isDeveloper }: Person) {
  return db.query<SearchedApp>(sql`
    select app.id, app.alias, app.name,
      ${isDeveloper}::boolean or exists (
        select from apps.people where people.app_id = app.id and people.user_id = ${userId}
      ) as "isInsider"
    from apps.apps app
    where app.org_id = ${orgId} and app.state = 'active'
    order by app.id desc`)
}

/** The newest deploys of each app in the range. */
export async function selectDeploysById(db: Querier, appIds: readonly string[], { from, to }: IdRange) {
  return db.query<{ id: string; app_id: string; state: DeployState }>(sql`
    select deploy.id, deploy.app_id, deploy.state
    from unnest(${appIds}::text[]) as app(id)
    cross join lateral (
      select id, app_id, state from apps.deploys
      where app_id = app.id and id >= ${from} and id <= ${to}
      order by id desc limit ${MAX_SEARCH_HITS}
    ) deploy
    order by deploy.id desc limit ${MAX_SEARCH_HITS}`)
}
