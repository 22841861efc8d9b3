import { roleAtLeast } from '#contract/core/roles.ts'
import { idsBeginningWith } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { type FindThings, insiderApps, type ListSearchedApps } from '#ports/search.ts'
import { selectDeploysById, selectSearchedApps } from './store.ts'

type AppSearch = { readonly list: ListSearchedApps; readonly findApps: FindThings; readonly findDeploys: FindThings }

/** Like the list of apps, developers find all of them and other members those in which they have a part. */
export function createAppSearch({ db }: { db: Querier }): AppSearch {
  return {
    list: ({ org_id, user_id, role }) =>
      selectSearchedApps(db, org_id, { userId: user_id, isDeveloper: roleAtLeast(role, 'developer') }),
    findApps: async ({ apps, text }) =>
      apps
        .filter(({ isInsider }) => isInsider)
        .filter(({ id, alias, name }) => isPartOf([alias, name], text) || id === text)
        .map(({ id, alias, name }) => ({ kind: 'app', id, title: name, subtitle: alias, app: alias })),
    findDeploys: async ({ apps, text }) => {
      const range = idsBeginningWith('dep', text)
      if (!range) return []
      const byId = insiderApps(apps)
      const rows = await selectDeploysById(db, [...byId.keys()], range)
      return rows.map(({ id, app_id, state }) => {
        const { name, alias } = byId.get(app_id)!
        return { kind: 'deploy', id, title: id, subtitle: `${name} · ${state}`, app: alias }
      })
    },
  }
}

function isPartOf(names: readonly string[], text: string): boolean {
  return names.some((name) => name.toLowerCase().includes(text.toLowerCase()))
}
