import { pathShape } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { withVersion } from '#edge/serve/version.ts'
import { sql } from '#lib/db/sql.ts'
import { isBundled } from '#lib/files/bundle.ts'
import { BUILTIN_MODEL, createAi } from '../areas/ai/index.ts'
import { createAppDirectory } from '../areas/apps/index.ts'
import { backupStateRoute } from '../areas/backups/index.ts'
import { checkApps } from '../areas/checks/index.ts'
import { createConsole } from '../areas/console/index.ts'
import { createDataSources, exposedSourceIds } from '../areas/data-sources/index.ts'
import { createGuides } from '../areas/guides/index.ts'
import { maintenanceRunApps, maintenanceTimezoneOf } from '../areas/maintenance/index.ts'
import { createSkills } from '../areas/skills/index.ts'
import { ownerOf } from '../config/service-table.ts'
import { assets } from '../files/assets.ts'
import { composeActivity } from './activity.ts'
import { composeAppDoor } from './app-door.ts'
import { backupChecks } from './backups.ts'
import { composeChatModels } from './chat-models.ts'
import { composeClientPackage } from './client-package.ts'
import { composeDatabases, databaseServerChecks } from './databases.ts'
import { composeEdge, validateAtAuth } from './edge.ts'
import { composeEmbedding } from './embedding.ts'
import { composeHostedSignIn } from './hosted-sign-in.ts'
import { composeNotifications } from './notifications.ts'
import type { Service, ServiceParts } from './parts.ts'
import { composePeople } from './people.ts'
import { composeSearch } from './search.ts'

/** The public entry: its own areas, and forwarding to the other services by the prefix of the path. */
export function compose(parts: ServiceParts): Service {
  const embedding = composeEmbedding(parts)
  const ai = createAi({
    ...parts,
    ...parts.config.ai,
    embedding,
    chatModels: parts.shared(composeChatModels),
    timezoneOf: (orgId) => maintenanceTimezoneOf(parts.db, orgId),
    apps: createAppDirectory(parts),
    selectAgents: (orgId) => sql`${checkApps(orgId)} union all ${maintenanceRunApps(orgId)}`,
  })
  const databases = parts.shared(composeDatabases)
  const activity = parts.shared(composeActivity)
  const dataSources = createDataSources({
    ...parts,
    people: composePeople(parts),
    measuresIndexes: parts.config.questions.measuresIndexes,
    mayEmbedRows: (model) => model === BUILTIN_MODEL || parts.config.questions.rowTextToProviders,
    activity,
    embed: ai.embed,
    embedContent: embedding.embedContent,
    isBuiltinModel: (name) => name === BUILTIN_MODEL,
    findModel: (name) => embedding.models.find(name),
    modelNames: () => embedding.models.list().map(({ name }) => name),
    hasDatabase: (tx, orgId, name) => databases.has(tx, orgId, name),
    openDatabase: (orgId, name, as) => databases.open(orgId, name, as),
    openForPreview: (orgId, name) => databases.openForPreview(orgId, name),
    openForQuestions: (orgId, name) => databases.openForQuestions(orgId, name),
    maxStalenessSeconds: (orgId, name) => databases.maxStalenessSeconds(orgId, name),
    spend: (orgId) => activity.spend(orgId),
    isUnfinished: ({ org_id, id }) => parts.unfinishedSources.has(`${org_id} ${id}`),
  })
  const paths = OPERATIONS.map(({ path }) => pathShape(path))
  const webConsole = createConsole({
    folder: assets.console,
    isOperation: (path) => path.startsWith('/api/') || paths.some((shape) => shape.test(path)),
  })
  const hosted = composeHostedSignIn(parts)
  const fetch = composeEdge(parts, {
    name: 'api-gateway',
    routes: [
      ...dataSources.routes,
      ...databases.routes,
      ...composeSearch(parts).routes,
      backupStateRoute({ ...parts, schedule: parts.config.backup?.schedule }),
      ...activity.routes({ people: composePeople(parts), selectExposed: exposedSourceIds }),
      ...ai.routes,
      ...composeNotifications(parts).routes,
      ...webConsole.routes,
      ...createSkills({ folder: assets.skills(), built: isBundled, version: parts.version }).routes,
      ...composeClientPackage(parts).routes,
      ...createGuides({
        folder: assets.guides(),
        built: isBundled,
        version: parts.version,
        baseUrl: () => parts.publicUrls.signIn,
      }).routes,
      ...(hosted?.routes ?? []),
    ],
    validate: validateAtAuth(parts, 'api-gateway'),
    hasPart: createAppDirectory(parts).hasPart,
    pageFor: (request, path) => webConsole.pageFor(request, path),
    forward: (path) => {
      const owner = ownerOf(path)
      if (owner === 'auth-service' && hosted) return hosted.forward(path)
      return owner && parts.neighbour(owner)
    },
  })
  return {
    fetch: composeAppDoor(parts, withVersion(parts.version, fetch)),
    warnings: () => databases.warnings(),
    checks: {
      ...databaseServerChecks(databases),
      ...backupChecks(parts),
      'built-in model': { ask: () => embedding.checkModel(), optional: true },
    },
    warm: async () => {
      if (await dataSources.usesModel(BUILTIN_MODEL)) await embedding.warm()
    },
  }
}
