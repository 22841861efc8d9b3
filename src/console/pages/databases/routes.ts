import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { RootRoute } from '#console/frame/root-route.tsx'

export function databasesRoutes(root: RootRoute) {
  const getParentRoute = () => root
  return [
    createRoute({
      getParentRoute,
      path: '/databases',
      component: lazyRouteComponent(() => import('./databases-page.tsx'), 'DatabasesPage'),
    }),
  ] as const
}
