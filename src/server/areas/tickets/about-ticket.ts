import type { Member } from '#edge/route/route.ts'
import type { AppName } from '#ports/apps.ts'
import type { TicketRow } from './store.ts'

/** Fields that the events of tickets share. They name the ticket and never carry its text. */
export function aboutTicket(app: AppName, { id, title, reporter_id }: TicketRow, { user_id }: Member) {
  return {
    app: { id: app.id, alias: app.alias, name: app.name },
    ticket: { id, title },
    reporter_id,
    actor_id: user_id,
  }
}
