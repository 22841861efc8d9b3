import { invalidToken } from '#edge/credentials/caller.ts'
import { idempotencyLoop } from '#edge/idempotency/idempotency.ts'
import type { Loop } from '#lib/work/loop.ts'
import { BUILTIN_MODEL } from '../areas/ai/index.ts'
import { measureLoop, watchLoop } from '../areas/data-sources/index.ts'
import type { Databases } from '../areas/databases/index.ts'
import { composeActivity } from './activity.ts'
import { composeAgents } from './agents.ts'
import { composeWorkerDoor } from './app-door.ts'
import { composeApps, composeHosting } from './apps.ts'
import { backupChecks, composeBackups } from './backups.ts'
import { composeCheckWork } from './checks.ts'
import { composeDatabases, composeMoveNotices, databaseServerChecks } from './databases.ts'
import { composeEdge } from './edge.ts'
import { composeEmbedding } from './embedding.ts'
import { composeLeaving } from './leaving.ts'
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
    checks: { ...databaseServerChecks(databases), ...backupChecks(parts) },
    warnings: async () => (await hosting?.target.warnings()) ?? [],
    notes: async () => (await hosting?.notes()) ?? [],
    loops: [
      idempotencyLoop(parts),
      ...parts.shared(composeActivity).loops,
      ...parts.shared(composeAgents).loops,
      composeMoveNotices(parts),
      ...composeBackups(parts),
      composeLeaving(parts),
      ...notifications.loops,
      ...apps.loops,
      ...pipelines.loops,
      ...checks.loops,
      ...maintenance.loops,
      ...measuringLoops(parts, databases),
      ...watchingLoops(parts, databases),
    ],
    slots: [...databases.slots, ...notifications.slots, ...apps.slots, ...checks.slots, ...maintenance.slots],
  }
}

/** Builds the loop that measures vector indexes and scores, unless it is switched off. */
function measuringLoops(parts: ServiceParts, databases: Databases): Loop[] {
  const { config, db, clock, log } = parts
  if (!config.questions.measuresIndexes) return []
  const embedding = composeEmbedding(parts)
  const loop = measureLoop({
    db,
    clock,
    openReader: (orgId, name) => databases.open(orgId, name, 'reader'),
    activityOf: (orgId, name) => databases.activityOf(orgId, name),
    mayEmbedRows: (model) => model === BUILTIN_MODEL || config.questions.rowTextToProviders,
    embedRows: embedRowsWith(embedding),
    onError: (error, { source_id }) =>
      log.warn({ error, source_id }, 'an index or its scores could not be measured; this is tried again'),
  })
  return [loop]
}

type Embedding = ReturnType<typeof composeEmbedding>

/** Embeds the text of rows. Nobody asked for this work, so the built-in model, which costs nothing, is not counted. */
function embedRowsWith({ models, embedContent }: Embedding) {
  return async ({ org_id, model, texts, signal }: Parameters<typeof embedContent>[0]) =>
    model === BUILTIN_MODEL
      ? (await models.get(model).embed(texts, signal)).vectors
      : embedContent({ org_id, model, texts, signal })
}

/** Builds the loop that looks at the vectors of sources, unless it is switched off. */
function watchingLoops(parts: ServiceParts, databases: Databases): Loop[] {
  const { config, db, clock, log } = parts
  const { watchesVectors, rowTextToProviders } = config.questions
  if (!watchesVectors) return []
  const embedding = composeEmbedding(parts)
  const loop = watchLoop({
    db,
    clock,
    openReader: (orgId, name) => databases.open(orgId, name, 'reader'),
    activityOf: (orgId, name) => databases.activityOf(orgId, name),
    placeOf: (model) => {
      if (model === BUILTIN_MODEL) return 'here'
      if (!embedding.models.find(model)) return 'unknown'
      return rowTextToProviders ? 'outside' : 'outside_not_allowed'
    },
    embedRows: embedRowsWith(embedding),
    onError: (error, { source_id }) =>
      log.warn({ error, source_id }, 'the vectors of a data source could not be looked at; the next night tries again'),
  })
  return [loop]
}
