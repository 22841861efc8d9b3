import type { Route } from '#edge/http/route.ts'
import type { MaintenanceDeps } from './deps.ts'
import { runRoutes } from './runs/routes.ts'
import { appRoute } from './settings/app.ts'
import { orgRoutes } from './settings/org.ts'

export { maintenanceTimezoneOf } from './settings/store.ts'

/** Builds the area. deploy-api mounts its routes. */
export function createMaintenance(deps: MaintenanceDeps): { readonly routes: readonly Route[] } {
  return { routes: [...orgRoutes(deps), appRoute(deps), ...runRoutes(deps)] }
}
