import { listTickets, readTicket } from '#contract/tickets.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireApp } from '#ports/apps.ts'
import type { TicketDeps } from './deps.ts'
import { needTicket } from './need-ticket.ts'
import { namesOf, presentSummary, presentTicket } from './present.ts'
import { pageTickets } from './store.ts'
import { viewerOf } from './viewer.ts'

export function listRoute({ db, apps, people }: TicketDeps): Route {
  return route(listTickets, async ({ alias, status, mine = false, limit, cursor }, { principal }) => {
    const { org_id } = principal
    const app = await requireApp(apps, org_id, alias)
    const viewer = await viewerOf({ apps }, principal, alias)
    const page = { appId: app.id, viewer, status, mine, after: readCursor(cursor), limit }
    const rows = await pageTickets(db, page)
    const reporters = rows.map(({ reporter_id }) => reporter_id)
    const names = await namesOf(people, org_id, reporters)
    return toPage(rows, limit, (row) => presentSummary(row, alias, names))
  })
}

export function readRoute(deps: TicketDeps): Route {
  return route(readTicket, async ({ alias, ticket_id }, { principal }) => {
    const { ticket } = await needTicket(deps, principal, { alias, id: ticket_id })
    return presentTicket(ticket, alias, deps.people)
  })
}
