import { deliveryStatistics, listDeliveries, readDelivery } from '#contract/notifications/deliveries.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { NotificationDeps } from '../model/deps.ts'
import { presentLedgerRow } from './present.ts'
import { resendRoute } from './resend.ts'
import { countByChannel, countByDay } from './statistics-store.ts'
import { type AttemptRow, listAttempts, pageLedger, requireLedgerRow } from './store.ts'

export function ledgerRoutes({ db, clock, baseUrl }: Pick<NotificationDeps, 'db' | 'clock' | 'baseUrl'>): Route[] {
  return [
    route(listDeliveries, async ({ limit, cursor, ...filter }, { principal }) => {
      const rows = await pageLedger(db, principal.org_id, { filter, before: readCursor(cursor), limit })
      return toPage(rows, limit, (row) => presentLedgerRow(row, baseUrl()))
    }),
    route(readDelivery, async ({ id }, { principal }) => {
      const row = await requireLedgerRow(db, principal.org_id, id)
      const tries = row.delivery_id === null ? [] : await listAttempts(db, row.delivery_id)
      return { ...presentLedgerRow(row, baseUrl()), tries: tries.map(presentAttempt) }
    }),
    route(deliveryStatistics, async ({ days }, { principal }) => {
      const span = { orgId: principal.org_id, days, now: clock.now() }
      return { channels: await countByChannel(db, span), days: await countByDay(db, span) }
    }),
    resendRoute({ db, clock }),
  ]
}

function presentAttempt({ started_at, ended_at, ...row }: AttemptRow) {
  return { ...row, started_at: started_at.toISOString(), ended_at: ended_at?.toISOString() ?? null }
}
