import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { RootRoute } from '#console/frame/root-route.tsx'

export function homeRoutes(root: RootRoute) {
  const getParentRoute = () => root
  return [
    createRoute({
      getParentRoute,
      path: '/',
      component: lazyRouteComponent(() => import('./home.tsx'), 'Home'),
    }),
    createRoute({
      getParentRoute,
      path: '/signed-in',
      component: lazyRouteComponent(() => import('./signed-in.tsx'), 'SignedIn'),
    }),
    createRoute({
      getParentRoute,
      path: '/guides/identity-provider',
      component: lazyRouteComponent(() => import('./identity-provider.tsx'), 'IdentityProvider'),
    }),
  ] as const
}
