import { notFound } from '#contract/core/errors.ts'
import { ackInbox, ackNotification } from '#contract/notifications/inbox.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import type { Clock } from '#lib/time/clock.ts'
import { inboxOwner, present } from './entry.ts'
import { markAllRead, markRead } from './store.ts'

type Deps = { db: Querier; clock: Clock; baseUrl: () => string }

export function ackRoute({ db, clock, baseUrl }: Deps): Route {
  return route(ackNotification, async ({ id }, { principal }) => {
    const row = await markRead(db, id, inboxOwner(principal), clock.now())
    if (!row) throw notFound('notification')
    return present(row, baseUrl())
  })
}

export function ackAllRoute({ db, clock }: Pick<Deps, 'db' | 'clock'>): Route {
  return route(ackInbox, async ({ up_to }, { principal }) => ({
    marked: await markAllRead(db, inboxOwner(principal), up_to, clock.now()),
  }))
}
