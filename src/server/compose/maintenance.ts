import type { TryAppRevision } from '#ports/app-trials.ts'
import {
  createAppDeploys,
  createAppDirectory,
  createAppLogs,
  createAppSource,
  createRedactorOf,
  createRevisionDiff,
  createSaveChange,
  diffTexts,
  listWentLive,
} from '../areas/apps/index.ts'
import { listEndedRuns, listStates } from '../areas/checks/index.ts'
import {
  type ChangeTrials,
  createMaintenance,
  createMaintenanceWork,
  type UsableModels,
} from '../areas/maintenance/index.ts'
import { composeAgents } from './agents.ts'
import { composeChatModels } from './chat-models.ts'
import type { ServiceParts } from './parts.ts'
import { composePeople } from './people.ts'

/** Builds the part of the maintenance agent that deploy-api serves: settings, runs, and the tools of runs. */
export function composeMaintenance(parts: ServiceParts) {
  return createMaintenance({
    ...parts,
    apps: createAppDirectory(parts),
    logs: createAppLogs(parts),
    source: createAppSource(parts),
    deploys: createAppDeploys({ clock: parts.clock, deploysOff: parts.config.apps.deploysOff }),
    diff: createRevisionDiff(parts),
    diffTexts,
    redactorOf: createRedactorOf(parts),
    people: composePeople(parts),
    listChecks: (appId) => listStates(parts.db, appId),
    listCheckRuns: (appId, name, limit) => listEndedRuns(parts.db, appId, name, limit),
    listWentLive,
    models: usableModels(parts),
    internalSecret: parts.config.secrets.internalSecret,
  })
}

/** The nights and the runs themselves. Runs reach the app only through the tools that deploy-api serves. */
export function composeMaintenanceWork(parts: ServiceParts, tryRevision: TryAppRevision | undefined) {
  const { db, clock, log, config, neighbour } = parts
  const { pool, findModel } = parts.shared(composeAgents)
  return createMaintenanceWork({
    db,
    clock,
    apps: createAppDirectory(parts),
    source: createAppSource(parts),
    logs: createAppLogs(parts),
    listCheckRuns: (appId, name, limit) => listEndedRuns(db, appId, name, limit),
    listWentLive,
    pool,
    findModel,
    redactorOf: createRedactorOf(parts),
    changes: {
      source: createAppSource(parts),
      diffTexts,
      redactorOf: createRedactorOf(parts),
      saveChange: createSaveChange({ ...parts, ...config.revisions }),
      deploys: createAppDeploys({ clock, deploysOff: config.apps.deploysOff }),
      trials: trialsOf(config.maintenance.build, tryRevision),
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
    onNightError: (error) => log.error({ error }, 'whether to start a maintenance run could not be decided'),
  })
}

function trialsOf(
  build: ServiceParts['config']['maintenance']['build'],
  tryRevision: TryAppRevision | undefined,
): ChangeTrials {
  if (build === 'off') return { off: 'the operator of this installation can allow builds and tests, and has not' }
  if (!tryRevision) return { off: 'this installation runs no apps' }
  return { withTests: build === 'test', tryRevision }
}

/** The worker asks the models. A process apart from it may have been given no providers, and then refuses no name. */
function usableModels(parts: ServiceParts): UsableModels {
  const models = parts.shared(composeChatModels)
  const knowsModels = parts.running.includes('worker') || parts.config.ai.providers.length > 0
  const withTools = models.list().filter(({ tools }) => tools)
  const isOpen = (name: string) => models.openProviders.some((provider) => name.startsWith(`${provider}/`))
  return {
    has: (name) =>
      !knowsModels ||
      withTools.some((model) => model.name === name) ||
      (isOpen(name) && models.find(name) !== undefined),
    names: [...withTools.map(({ name }) => name), ...models.openProviders.map((provider) => `${provider}/…`)],
  }
}
