import { countUnread, listInbox } from '#contract/notifications/inbox.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { AppDirectory } from '#ports/apps.ts'
import type { People } from '#ports/people.ts'
import { inboxOwner, present } from './entry.ts'
import { stillVisible } from './still-visible.ts'
import { countUnreadEntries, type InboxOwner, pageInbox, pageNewEntries } from './store.ts'

type Deps = {
  db: Querier
  people: Pick<People, 'member' | 'partHolders'>
  apps: Pick<AppDirectory, 'find'>
  baseUrl: () => string
}

export function listRoute(deps: Deps): Route {
  const { db, baseUrl } = deps
  return route(listInbox, async ({ unread = false, since, limit, cursor }, { principal }) => {
    const owner = inboxOwner(principal)
    const position = readCursor(cursor)
    if (since !== undefined) return listNew(deps, owner, { unread, after: position ?? since, limit })
    const rows = await pageInbox(db, owner, { unread, before: position, limit })
    return toPage(rows, limit, (row) => present(row, baseUrl()))
  })
}

/** A page may have fewer items than rows were read, so the next one begins after the last row and not the last item. */
async function listNew(
  deps: Deps,
  owner: InboxOwner,
  { unread, after, limit }: { unread: boolean; after: string; limit: number },
) {
  const rows = await pageNewEntries(deps.db, owner, { unread, after, limit: limit + 1 })
  const { items, next_cursor } = toPage(rows, limit, (row) => row)
  const visible = await stillVisible(deps, owner, items)
  return { items: visible.map((row) => present(row, deps.baseUrl())), next_cursor }
}

const MAX_COUNTED_ENTRIES = 1000

export function unreadRoute({ db }: { db: Querier }): Route {
  return route(countUnread, async (_, { principal }) => ({
    unread: await countUnreadEntries(db, inboxOwner(principal), MAX_COUNTED_ENTRIES),
  }))
}
