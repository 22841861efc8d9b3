import { invalidToken } from '#edge/credentials/caller.ts'
import { idempotencyLoop } from '#edge/http/idempotency.ts'
import { composeActivity } from './activity.ts'
import { composeAgents } from './agents.ts'
import { composeWorkerDoor } from './app-door.ts'
import { composeApps, composeHosting } from './apps.ts'
import { composeCheckWork } from './checks.ts'
import { composeMeasuring } from './data-sources.ts'
import { composeDatabases, composeMoveNotices, databaseServerChecks } from './databases.ts'
import { composeEdge } from './edge.ts'
import { composeMaintenanceWork } from './maintenance.ts'
import { composeNotifications } from './notifications.ts'
import type { ServiceParts, WorkerService } from './parts.ts'
import { composePipelines } from './pipelines.ts'

/** Runs the loops and slots of every area. It serves health and metrics only; nobody signs in here. */
export function compose(parts: ServiceParts): WorkerService {
  const fetch = composeEdge(parts, {
    name: 'worker',
    routes: [],
    validate: async () => {
      throw invalidToken()
    },
  })
  const notifications = composeNotifications(parts)
  const hosting = composeHosting(parts)
  const apps = composeApps(parts, hosting)
  const databases = parts.shared(composeDatabases)
  const pipelines = composePipelines(parts)
  const checks = composeCheckWork(parts)
  const maintenance = composeMaintenanceWork(parts, hosting?.tryRevision)
  return {
    fetch: composeWorkerDoor(parts, fetch),
    checks: databaseServerChecks(databases),
    warnings: async () => (await hosting?.target.warnings()) ?? [],
    notes: async () => (await hosting?.notes()) ?? [],
    loops: [
      idempotencyLoop(parts),
      ...parts.shared(composeActivity).loops,
      ...parts.shared(composeAgents).loops,
      composeMoveNotices(parts),
      ...notifications.loops,
      ...apps.loops,
      ...pipelines.loops,
      ...checks.loops,
      ...maintenance.loops,
      ...composeMeasuring(parts, databases).loops,
    ],
    slots: [...databases.slots, ...notifications.slots, ...apps.slots, ...checks.slots, ...maintenance.slots],
  }
}
