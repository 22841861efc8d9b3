import { listInbox } from '#contract/notifications/inbox.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { inboxOwner, present } from './entry.ts'
import { pageInbox } from './store.ts'

export function listRoute({ db, baseUrl }: { db: Querier; baseUrl: () => string }): Route {
  return route(listInbox, async ({ unread = false, limit, cursor }, { principal }) => {
    const rows = await pageInbox(db, inboxOwner(principal), { unread, before: readCursor(cursor), limit })
    return toPage(rows, limit, (row) => present(row, baseUrl()))
  })
}
