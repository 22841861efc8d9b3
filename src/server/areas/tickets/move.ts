import { moveTicket } from '#contract/tickets.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireHeldApp } from '#ports/apps.ts'
import { emit } from '#ports/emit.ts'
import { aboutTicket } from './about-ticket.ts'
import type { TicketDeps } from './deps.ts'
import { presentTicket } from './present.ts'
import { lockTicket, setStatus, type TicketRow } from './store.ts'
import { viewerOf } from './viewer.ts'

export function moveRoute({ db, clock, apps, people }: TicketDeps): Route {
  return route(moveTicket, async ({ alias, ticket_id, status }, { principal }) => {
    const { org_id } = principal
    const viewer = await viewerOf({ apps }, principal, alias)
    const moved = await db.tx(async (tx): Promise<TicketRow> => {
      const app = await requireHeldApp(apps, tx, org_id, alias)
      const ticket = await lockTicket(tx, { appId: app.id, id: ticket_id, viewer })
      // A repeated request must not be an error, and what did not change is no event.
      if (ticket.status === status) return ticket
      const at = clock.now()
      await setStatus(tx, ticket.id, { status, at })
      const body = { ...aboutTicket(app, ticket, principal), status }
      await emit(tx, { type: 'support.ticket.status_changed', org_id, occurred_at: at, body })
      return { ...ticket, status, updated_at: at }
    })
    return presentTicket(moved, alias, people)
  })
}
