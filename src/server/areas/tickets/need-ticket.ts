import { notFound } from '#contract/core/errors.ts'
import type { Member } from '#edge/http/route.ts'
import type { TicketDeps } from './deps.ts'
import { findTicket, type TicketRow } from './store.ts'
import { type Viewer, viewerOf } from './viewer.ts'

/** Throws "No such ticket." also for a ticket that the caller may not see. */
export async function needTicket(
  { db, apps }: Pick<TicketDeps, 'db' | 'apps'>,
  principal: Member,
  { alias, id }: { alias: string; id: string },
): Promise<{ ticket: TicketRow; viewer: Viewer }> {
  const app = await apps.find(principal.org_id, alias)
  if (!app) throw notFound('app')
  const viewer = await viewerOf({ apps }, principal, alias)
  const ticket = await findTicket(db, { appId: app.id, id, viewer })
  if (!ticket) throw notFound('ticket')
  return { ticket, viewer }
}
