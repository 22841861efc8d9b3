import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { RootRoute } from '../../frame/root-route.tsx'

export function settingsRoutes(root: RootRoute) {
  const getParentRoute = () => root
  return [
    createRoute({
      getParentRoute,
      path: '/settings/tokens',
      component: lazyRouteComponent(() => import('./tokens/tokens-page.tsx'), 'TokensPage'),
    }),
  ] as const
}
