import type { Route } from '#edge/http/route.ts'
import { checkRoutes } from './checks.ts'
import type { ToolDeps } from './deps.ts'
import { findingRoutes } from './findings.ts'
import { logRoutes } from './logs.ts'
import { sourceRoutes } from './source.ts'
import { stageRoute } from './stage-edit.ts'

export function toolRoutes(deps: ToolDeps): Route[] {
  return [...logRoutes(deps), ...sourceRoutes(deps), ...checkRoutes(deps), ...findingRoutes(deps), stageRoute(deps)]
}
