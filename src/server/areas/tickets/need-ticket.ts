import type { Member } from '#edge/route/route.ts'
import { requireApp } from '#ports/apps.ts'
import type { TicketDeps } from './deps.ts'
import { requireTicket, type TicketRow } from './store.ts'
import { type Viewer, viewerOf } from './viewer.ts'

/** Throws "No such ticket." also for a ticket that the caller may not see. */
export async function needTicket(
  { db, apps }: Pick<TicketDeps, 'db' | 'apps'>,
  principal: Member,
  { alias, id }: { alias: string; id: string },
): Promise<{ ticket: TicketRow; viewer: Viewer }> {
  const app = await requireApp(apps, principal.org_id, alias)
  const viewer = await viewerOf({ apps }, principal, alias)
  const ticket = await requireTicket(db, { appId: app.id, id, viewer })
  return { ticket, viewer }
}
