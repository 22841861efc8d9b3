import { createRoot } from './frame/root-route.tsx'
import { appsRoutes } from './pages/apps/routes.ts'
import { databasesRoutes } from './pages/databases/routes.ts'
import { functionsRoutes } from './pages/functions/routes.ts'
import { homeRoutes } from './pages/home/routes.ts'
import { inboxRoutes } from './pages/inbox/routes.ts'
import { mcpRoutes } from './pages/mcp/routes.ts'
import { settingsRoutes } from './pages/settings/routes.ts'

/** Creates every page with its address. Notifications link to these, so an address never changes. */
export function createRoutes() {
  const root = createRoot()
  return root.addChildren([
    ...homeRoutes(root),
    ...inboxRoutes(root),
    ...mcpRoutes(root),
    ...appsRoutes(root),
    ...databasesRoutes(root),
    ...functionsRoutes(root),
    ...settingsRoutes(root),
  ])
}
