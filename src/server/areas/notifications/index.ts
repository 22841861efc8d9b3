import type { Route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Querier } from '#lib/db/db.ts'
import { ackRoute } from './inbox/ack.ts'
import { listRoute } from './inbox/list.ts'

export function notificationRoutes(deps: { db: Querier; clock: Clock }): Route[] {
  return [listRoute(deps), ackRoute(deps)]
}
