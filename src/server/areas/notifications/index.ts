import type { Route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import type { Loop } from '#lib/work/loop.ts'
import { ackRoute } from './inbox/ack.ts'
import { listRoute } from './inbox/list.ts'
import { intakeLoop } from './intake/intake.ts'

type Notifications = { routes: readonly Route[]; loops: readonly Loop[] }

export function createNotifications(deps: { db: Db; clock: Clock }): Notifications {
  return { routes: [listRoute(deps), ackRoute(deps)], loops: [intakeLoop(deps)] }
}
