import { roleAtLeast } from '#contract/core/roles.ts'
import type { Member } from '#edge/route/route.ts'
import type { TicketDeps } from './deps.ts'

export type Viewer = {
  /** Null for vendor staff in a support session, who have filed none. */
  readonly userId: string | null
  /** Sees all tickets of the app and internal replies. Others see the public side of the tickets that they filed. */
  readonly isInsider: boolean
}

/** Insiders are people with a part in the app, and developers of the organization and up. */
export async function viewerOf({ apps }: Pick<TicketDeps, 'apps'>, principal: Member, alias: string): Promise<Viewer> {
  const isInsider = roleAtLeast(principal.role, 'developer') || (await apps.hasPart(principal, alias, 'builder'))
  return { userId: principal.user_id, isInsider }
}
