import { idsBeginningWith } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import { type FindThings, insiderApps } from '#ports/search.ts'
import { searchProposals } from './search-store.ts'

/** Like the lists of proposals, developers find those of all apps and people with a part those of their app. */
export function createFindChanges({ db }: { db: Querier }): FindThings {
  return async ({ apps, text }) => {
    const byId = insiderApps(apps)
    const range = idsBeginningWith('pr', text)
    const rows = await searchProposals(db, { appIds: [...byId.keys()], by: range ? { range } : { summary: text } })
    return rows.map(({ id, app_id, summary }) => {
      const { name, alias } = byId.get(app_id)!
      return { kind: 'change', id, title: summary, subtitle: name, app: alias }
    })
  }
}
