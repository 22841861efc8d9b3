import { listFailingChecks, showCheckHistory } from '#contract/checks/overview.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import { type AppName, requireApp } from '#ports/apps.ts'
import type { CheckDeps } from './deps.ts'
import { type CellRow, listFailing, readCells } from './overview-store.ts'
import { stateOfRuns } from './runs-state.ts'

const DAY_MS = 24 * 3_600_000

export function overviewRoutes(deps: CheckDeps): Route[] {
  const { db, clock } = deps
  return [
    route(listFailingChecks, async (_, { principal }) => {
      const rows = await listFailing(db, principal.org_id)
      const apps = await visibleApps(deps, principal, new Set(rows.map(({ app_id }) => app_id)))
      const items = rows.flatMap(({ app_id, state_since, ...check }) => {
        const app = apps.get(app_id)
        return app ? [{ ...check, state_since: state_since.toISOString(), app }] : []
      })
      return { items }
    }),
    route(showCheckHistory, async ({ alias, days }, { principal }) => {
      const app = await requireApp(deps.apps, principal.org_id, alias)
      const to = clock.now()
      const from = new Date(to.getTime() - days * DAY_MS)
      const rows = await readCells(db, app.id, from, to)
      return { from: from.toISOString(), to: to.toISOString(), items: joinCells(rows) }
    }),
  ]
}

/** Names the apps whose checks the caller may see: developers those of the organization, others those they build. */
async function visibleApps({ apps }: CheckDeps, principal: Member, appIds: ReadonlySet<string>) {
  const names = await apps.names(principal.org_id, [...appIds])
  if (roleAtLeast(principal.role, 'developer')) return names
  const visible = new Map<string, AppName>()
  for (const [id, app] of names) {
    if (await apps.hasPart(principal, app.alias, 'builder')) visible.set(id, app)
  }
  return visible
}

/** Rows come sorted by check and cell, 90 for each check. */
function joinCells(rows: readonly CellRow[]) {
  const items = new Map<string, ReturnType<typeof presentCell>[]>()
  for (const row of rows) items.set(row.check_id, [...(items.get(row.check_id) ?? []), presentCell(row)])
  return [...items].map(([check_id, cells]) => ({ check_id, cells }))
}

function presentCell({ verdict, ...counts }: CellRow) {
  const state = stateOfRuns(counts)
  return verdict === null || state === null ? null : { verdict, runs: counts.runs, passed: counts.passed, state }
}
