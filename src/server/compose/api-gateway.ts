import { isBundled } from '#lib/bundle.ts'
import { createActivity, createQuota } from '../areas/activity/index.ts'
import { createAi } from '../areas/ai/index.ts'
import { consoleRoutes } from '../areas/console/index.ts'
import { createDataSources } from '../areas/data-sources/index.ts'
import { skillRoutes } from '../areas/skills/index.ts'
import { apiDocsRoutes } from '../areas/system/index.ts'
import { assets } from '../process/assets.ts'
import { ownerOf } from '../process/service-table.ts'
import { composeDatabases } from './databases.ts'
import { composeEdge, NO_PARTS, validateAtAuth } from './edge.ts'
import { composeHostedSignIn } from './hosted-sign-in.ts'
import { composeNotifications } from './notifications.ts'
import type { Service, ServiceParts } from './parts.ts'

/** The public entry: its own areas, and forwarding to the other services by the prefix of the path. */
export function compose(parts: ServiceParts): Service {
  const ai = createAi({ ...parts, ...parts.config.ai })
  const databases = parts.shared(composeDatabases)
  const activity = createActivity({
    ...parts,
    dataKey: parts.config.secrets.dataKeys[0],
    onError: (error) => parts.log.warn({ error }, 'the results of questions could not be recorded'),
  })
  const quota = createQuota({ ...parts, ...parts.config.questions })
  const dataSources = createDataSources({
    ...parts,
    activity,
    embed: ai.embed,
    findModel: (name) => ai.models.find(name),
    hasDatabase: (tx, orgId, name) => databases.has(tx, orgId, name),
    openDatabase: (orgId, name, as) => databases.open(orgId, name, as),
    spend: (orgId) => quota.spend(orgId),
  })
  const hosted = composeHostedSignIn(parts)
  const fetch = composeEdge(parts, {
    name: 'api-gateway',
    routes: [
      ...dataSources.routes,
      ...databases.routes,
      ...activity.routes,
      ...quota.routes,
      ...ai.routes,
      ...composeNotifications(parts).routes,
      ...apiDocsRoutes(parts),
      ...consoleRoutes(assets.console()),
      ...skillRoutes({ folder: assets.skills(), built: isBundled, version: parts.version }),
      ...(hosted?.routes ?? []),
    ],
    validate: validateAtAuth(parts, 'api-gateway'),
    hasPart: NO_PARTS,
    forward: (path) => {
      const owner = ownerOf(path)
      if (owner === 'auth-service' && hosted) return hosted.forward(path)
      return owner && parts.neighbour(owner)
    },
  })
  const close = async () => {
    await activity[Symbol.asyncDispose]()
    await ai[Symbol.asyncDispose]()
  }
  return { fetch, warnings: () => databases.warnings(), [Symbol.asyncDispose]: close }
}
