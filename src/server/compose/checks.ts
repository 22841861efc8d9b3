import type { Route } from '#edge/route/route.ts'
import { createAppDirectory, createAppLogs, createAppProbe, createRedactorOf } from '../areas/apps/index.ts'
import { createCheckRoutes, createCheckWork } from '../areas/checks/index.ts'
import { composeAgents } from './agents.ts'
import { composeAppTraffic } from './app-traffic.ts'
import { composeChatModels } from './chat-models.ts'
import type { ServiceParts } from './parts.ts'

/** The routes of checks, which deploy-api mounts. */
export function composeCheckRoutes(parts: ServiceParts): readonly Route[] {
  const models = parts.shared(composeChatModels)
  // The worker asks the models. A process apart from it may have been given no providers.
  const knowsModels = parts.running.includes('worker') || parts.config.ai.providers.length > 0
  const hasModel = (name: string) => !knowsModels || models.find(name) !== undefined
  return createCheckRoutes({ ...parts, apps: createAppDirectory(parts), hasModel })
}

/** The loops and slots of checks. The worker that hosts an app also asks it. */
export function composeCheckWork(parts: ServiceParts) {
  const { traffic } = parts.shared(composeAppTraffic)
  const { pool, findModel } = parts.shared(composeAgents)
  return createCheckWork({
    ...parts,
    apps: createAppDirectory(parts),
    probe: createAppProbe({ ...parts, traffic, urlOf: parts.publicUrls.ofApp }),
    logs: createAppLogs(parts),
    redactorOf: createRedactorOf(parts),
    pool,
    findModel,
    keepDays: parts.config.apps.checkRetentionDays,
    onError: (error, check) => parts.log.error({ error, check }, 'a check could not run because of a fault in svc'),
  })
}
