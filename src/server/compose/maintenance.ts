import {
  createAppDeploys,
  createAppDirectory,
  createAppLogs,
  createAppSource,
  createSaveChange,
} from '../areas/apps/index.ts'
import { listEndedRuns, listStates } from '../areas/checks/index.ts'
import { createMaintenance, createMaintenanceWork } from '../areas/maintenance/index.ts'
import type { ServiceParts } from './parts.ts'

/** What deploy-api serves of the maintenance agent: settings, runs, and the tools of runs. */
export function composeMaintenance(parts: ServiceParts): ReturnType<typeof createMaintenance> {
  return createMaintenance({
    ...parts,
    apps: createAppDirectory(parts),
    logs: createAppLogs(parts),
    source: createAppSource(parts),
    listChecks: (appId) => listStates(parts.db, appId),
    listCheckRuns: (appId, name, limit) => listEndedRuns(parts.db, appId, name, limit),
    listModels: () => [],
    internalSecret: parts.config.secrets.internalSecret,
  })
}

/** The nights and the runs themselves. Runs reach the app only through the tools that deploy-api serves. */
export function composeMaintenanceWork(parts: ServiceParts): ReturnType<typeof createMaintenanceWork> {
  const { db, clock, log, config, neighbour } = parts
  return createMaintenanceWork({
    db,
    clock,
    apps: createAppDirectory(parts),
    source: createAppSource(parts),
    changes: {
      source: createAppSource(parts),
      saveChange: createSaveChange({ ...parts, ...config.revisions }),
      deploys: createAppDeploys({ clock, deploysOff: config.apps.deploysOff }),
    },
    toolFetch: (request, executionId) =>
      neighbour('deploy-api')(request, {
        clientAddress: '127.0.0.1',
        requestId: executionId,
        via: 'api',
        direct: false,
      }),
    internalSecret: config.secrets.internalSecret,
    onError: (error, run) => log.error({ error, run }, 'a maintenance run could not finish because of a fault in svc'),
  })
}
