import { notFound } from '#contract/core/errors.ts'
import { listDeliveries, readDelivery } from '#contract/notifications/deliveries.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import { presentLedgerRow } from './present.ts'
import { resendRoute } from './resend.ts'
import { statisticsRoute } from './statistics.ts'
import { type AttemptRow, findLedgerRow, listAttempts, pageLedger } from './store.ts'

type Deps = { db: Db; clock: Clock; baseUrl: () => string }

export function ledgerRoutes(deps: Deps): Route[] {
  return [listRoute(deps), readRoute(deps), statisticsRoute(deps), resendRoute(deps)]
}

function listRoute({ db, baseUrl }: Deps): Route {
  return route(listDeliveries, async ({ limit, cursor, ...filter }, { principal }) => {
    const rows = await pageLedger(db, principal.org_id, { filter, before: readCursor(cursor), limit })
    return toPage(rows, limit, (row) => presentLedgerRow(row, baseUrl()))
  })
}

function readRoute({ db, baseUrl }: Deps): Route {
  return route(readDelivery, async ({ id }, { principal }) => {
    const row = await findLedgerRow(db, principal.org_id, id)
    if (!row) throw notFound('delivery')
    const tries = row.delivery_id === null ? [] : await listAttempts(db, row.delivery_id)
    return { ...presentLedgerRow(row, baseUrl()), tries: tries.map(presentAttempt) }
  })
}

function presentAttempt({ started_at, ended_at, ...row }: AttemptRow) {
  return { ...row, started_at: started_at.toISOString(), ended_at: ended_at?.toISOString() ?? null }
}
