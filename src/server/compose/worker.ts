import { invalidToken } from '#edge/credentials/caller.ts'
import { idempotencyLoop } from '#edge/http/idempotency.ts'
import { retentionLoop } from '../areas/activity/index.ts'
import { createNotifications } from '../areas/notifications/index.ts'
import { composeEdge } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'

/** Loops, health and metrics; nobody signs in here. */
export function compose(parts: ServiceParts): Service {
  const fetch = composeEdge(parts, {
    name: 'worker',
    routes: [],
    validate: async () => {
      throw invalidToken()
    },
  })
  return { fetch, loops: [idempotencyLoop(parts), retentionLoop(parts), ...createNotifications(parts).loops] }
}
