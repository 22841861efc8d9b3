import { createRoot } from './frame/root-route.tsx'
import { appsRoutes } from './pages/apps/routes.ts'
import { homeRoutes } from './pages/home/routes.ts'
import { inboxRoutes } from './pages/inbox/routes.ts'
import { settingsRoutes } from './pages/settings/routes.ts'

/** Creates every page with its address. Notifications link to these, so an address never changes. */
export function createRoutes() {
  const root = createRoot()
  return root.addChildren([...homeRoutes(root), ...inboxRoutes(root), ...appsRoutes(root), ...settingsRoutes(root)])
}
