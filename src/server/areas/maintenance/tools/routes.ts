import type { Route } from '#edge/route/route.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { checkRoutes } from './checks.ts'
import { findingRoutes } from './findings.ts'
import { logRoutes } from './logs.ts'
import { signalRoute } from './signals.ts'
import { sourceRoutes } from './source.ts'
import { stageRoute } from './stage-edit.ts'

export function toolRoutes(deps: MaintenanceDeps): Route[] {
  return [
    ...logRoutes(deps),
    ...sourceRoutes(deps),
    ...checkRoutes(deps),
    ...findingRoutes(deps),
    signalRoute(deps),
    stageRoute(deps),
  ]
}
