import { idsBeginningWith } from '#edge/ids.ts'
import type { Querier } from '#lib/db/db.ts'
import type { FindThings } from '#ports/search.ts'
import { searchTickets } from './search-store.ts'

const STATUS_WORDS = { open: 'open', in_progress: 'in progress', done: 'done' } as const

/** Like the list of tickets, insiders of an app find all of them and other members those that they filed. */
export function createFindTickets({ db }: { db: Querier }): FindThings {
  return async ({ caller, apps, text }) => {
    const range = idsBeginningWith('tkt', text)
    const rows = await searchTickets(db, {
      insiderOf: apps.filter(({ isInsider }) => isInsider).map(({ id }) => id),
      outsiderOf: apps.filter(({ isInsider }) => !isInsider).map(({ id }) => id),
      userId: caller.user_id,
      by: range ? { range } : { title: text },
    })
    const byId = new Map(apps.map((app) => [app.id, app]))
    return rows.map(({ id, app_id, title, status }) => {
      const { alias } = byId.get(app_id)!
      return { kind: 'ticket', id, title, subtitle: `${alias} · ${STATUS_WORDS[status]}`, app: alias }
    })
  }
}
