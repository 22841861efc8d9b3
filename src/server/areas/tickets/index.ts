import type { Route } from '#edge/route/route.ts'
import type { TicketDeps } from './deps.ts'
import { fileRoute } from './file.ts'
import { listRoute, readRoute } from './list.ts'
import { moveRoute } from './move.ts'
import { repliesRoute, replyRoute } from './replies.ts'

export { createFindTickets } from './find.ts'

/** Builds the area. deploy-api mounts its routes; it has no loops. */
export function createTickets(deps: TicketDeps): { readonly routes: readonly Route[] } {
  return {
    routes: [fileRoute(deps), listRoute(deps), readRoute(deps), moveRoute(deps), replyRoute(deps), repliesRoute(deps)],
  }
}
