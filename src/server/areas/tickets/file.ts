import { ServiceError } from '#contract/core/errors.ts'
import { fileTicket, MAX_UNDONE_TICKETS } from '#contract/tickets.ts'
import { newId } from '#edge/ids.ts'
import { type Route, route } from '#edge/route/route.ts'
import { requireHeldApp } from '#ports/apps.ts'
import { emit } from '#ports/emit.ts'
import { aboutTicket } from './about-ticket.ts'
import type { TicketDeps } from './deps.ts'
import { presentTicket } from './present.ts'
import { countUndone, insertTicket, lockReporter, type TicketRow } from './store.ts'

export function fileRoute({ db, clock, apps, people }: TicketDeps): Route {
  return route(fileTicket, async ({ alias, title, body }, { principal }) => {
    const { org_id, user_id: reporter_id } = principal
    const ticket = await db.tx(async (tx): Promise<TicketRow> => {
      const app = await requireHeldApp(apps, tx, org_id, alias)
      await lockReporter(tx, app.id, reporter_id)
      if ((await countUndone(tx, app.id, reporter_id)) >= MAX_UNDONE_TICKETS) throw tooManyTickets()
      const at = clock.now()
      const written = { id: newId('tkt'), org_id, app_id: app.id, title, body, reporter_id }
      const row: TicketRow = { ...written, status: 'open', created_at: at, updated_at: at }
      await insertTicket(tx, row)
      const filed = { ...aboutTicket(app, row, principal), status: 'filed' } as const
      await emit(tx, { type: 'support.ticket.created', org_id, occurred_at: at, body: filed })
      return row
    })
    return presentTicket(ticket, alias, people)
  })
}

function tooManyTickets(): ServiceError {
  return new ServiceError(
    'APP_LIMIT',
    `You have ${MAX_UNDONE_TICKETS} tickets on this app that are not done. Reply to one of them, or wait until some are done.`,
  )
}
