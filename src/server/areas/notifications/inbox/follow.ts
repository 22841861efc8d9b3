// Imported, because each use of the global `performance` is a slower lookup.
import { performance } from 'node:perf_hooks'
import { BEFORE_ALL_NOTIFICATIONS, followInbox, type InboxEvent } from '#contract/notifications/inbox.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Db } from '#lib/db/db.ts'
import { createWake } from '#lib/work/wake.ts'
import type { AppDirectory } from '#ports/apps.ts'
import { INBOX_NOTIFY } from '#ports/inbox.ts'
import type { People } from '#ports/people.ts'
import { inboxOwner, present } from './entry.ts'
import { stillVisible } from './still-visible.ts'
import { type InboxOwner, newestEntryId, pageNewEntries } from './store.ts'

type Deps = {
  db: Pick<Db, 'query' | 'listen'>
  people: Pick<People, 'member' | 'partHolders'>
  apps: Pick<AppDirectory, 'find'>
  baseUrl: () => string
}

const PAGE = 50
/** Covers lost notifications of the database. */
const POLL_MS = 10_000
/** Entries that a slow reader has not taken by then are read and checked again. */
const MAX_PAGE_AGE_MS = 1_000

export function followRoute(deps: Deps): Route {
  return route(followInbox, ({ last_id }, { principal, signal }) =>
    inboxEvents(deps, inboxOwner(principal), { after: last_id, signal }),
  )
}

/** Yields entries in the order of their ids as they are added, from now on or after the one with the id `after`. */
async function* inboxEvents(
  deps: Deps,
  owner: InboxOwner,
  { after, signal }: { after: string | undefined; signal: AbortSignal },
): AsyncGenerator<InboxEvent> {
  const { db, baseUrl } = deps
  const wake = createWake()
  signal.addEventListener('abort', wake.ring, { once: true })
  await using _listening = await db.listen(INBOX_NOTIFY, (payload) => {
    if (payload === owner.user_id || payload === '') wake.ring()
  })
  let last = after ?? (await newestEntryId(db, owner)) ?? BEFORE_ALL_NOTIFICATIONS
  if (after === undefined) yield { type: 'start', id: last }
  while (!signal.aborted) {
    const rows = await pageNewEntries(db, owner, { unread: false, after: last, limit: PAGE })
    const visible = await stillVisible(deps, owner, rows)
    const readMs = performance.now()
    let isStale = false
    for (const row of visible) {
      isStale = performance.now() - readMs > MAX_PAGE_AGE_MS
      if (isStale) break
      last = row.id
      yield { type: 'notification', ...present(row, baseUrl()) }
    }
    if (isStale) continue
    last = rows.at(-1)?.id ?? last
    if (rows.length < PAGE) await wake.next(POLL_MS)
  }
}
