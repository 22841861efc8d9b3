import { countUnread, listInbox } from '#contract/notifications/inbox.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { inboxOwner, present } from './entry.ts'
import { countUnreadEntries, pageInbox } from './store.ts'

export function listRoute({ db, baseUrl }: { db: Querier; baseUrl: () => string }): Route {
  return route(listInbox, async ({ unread = false, limit, cursor }, { principal }) => {
    const rows = await pageInbox(db, inboxOwner(principal), { unread, before: readCursor(cursor), limit })
    return toPage(rows, limit, (row) => present(row, baseUrl()))
  })
}

const MAX_COUNTED_ENTRIES = 1000

export function unreadRoute({ db }: { db: Querier }): Route {
  return route(countUnread, async (_, { principal }) => ({
    unread: await countUnreadEntries(db, inboxOwner(principal), MAX_COUNTED_ENTRIES),
  }))
}
