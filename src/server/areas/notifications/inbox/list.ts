import { countUnread, listInbox } from '#contract/notifications/inbox.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { AppDirectory } from '#ports/apps.ts'
import type { People } from '#ports/people.ts'
import { inboxOwner, present } from './entry.ts'
import { stillVisible } from './still-visible.ts'
import { countUnreadEntries, type EntryRow, type InboxOwner, pageInbox, pageNewEntries } from './store.ts'

type Deps = {
  db: Querier
  people: Pick<People, 'member' | 'partHolders'>
  apps: Pick<AppDirectory, 'find'>
  baseUrl: () => string
}

export function listRoute(deps: Deps): Route {
  const { db } = deps
  return route(listInbox, async ({ unread = false, since, limit, cursor }, { principal }) => {
    const owner = inboxOwner(principal)
    const position = readCursor(cursor)
    const rows =
      since === undefined
        ? await pageInbox(db, owner, { unread, before: position, limit })
        : await pageNewEntries(db, owner, { unread, after: position ?? since, limit: limit + 1 })
    return presentVisible(deps, owner, rows, limit)
  })
}

/** A page may have fewer items than rows were read, so the next one begins after the last row and not the last item. */
async function presentVisible(deps: Deps, owner: InboxOwner, rows: readonly EntryRow[], limit: number) {
  const { items, next_cursor } = toPage(rows, limit, (row) => row)
  const visible = await stillVisible(deps, owner, items)
  return { items: visible.map((row) => present(row, deps.baseUrl())), next_cursor }
}

const MAX_COUNTED_ENTRIES = 1000

export function unreadRoute(deps: Deps): Route {
  return route(countUnread, async (_, { principal }) => {
    const owner = inboxOwner(principal)
    const counted = await stillVisible(deps, owner, await countUnreadEntries(deps.db, owner, MAX_COUNTED_ENTRIES))
    return { unread: counted.reduce((sum, { unread }) => sum + unread, 0) }
  })
}
