import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { z } from 'zod'
import type { RootRoute } from '../../frame/root-route.tsx'

export function inboxRoutes(root: RootRoute) {
  return [
    createRoute({
      getParentRoute: () => root,
      path: '/inbox',
      validateSearch: z.object({ unread: z.boolean().optional().catch(undefined) }),
      component: lazyRouteComponent(() => import('./inbox-page.tsx'), 'InboxPage'),
    }),
  ] as const
}
