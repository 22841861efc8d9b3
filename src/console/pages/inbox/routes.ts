import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { isTrue, searchOf } from '#console/address/search.ts'
import type { RootRoute } from '#console/frame/root-route.tsx'

export function inboxRoutes(root: RootRoute) {
  return [
    createRoute({
      getParentRoute: () => root,
      path: '/inbox',
      validateSearch: searchOf({ unread: isTrue }),
      component: lazyRouteComponent(() => import('./inbox-page.tsx'), 'InboxPage'),
    }),
  ] as const
}
