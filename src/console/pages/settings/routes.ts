import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { z } from 'zod'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import type { RootRoute } from '../../frame/root-route.tsx'

export function settingsRoutes(root: RootRoute) {
  const getParentRoute = () => root
  const organization = '/settings/organization'
  return [
    createRoute({
      getParentRoute,
      path: organization,
      component: lazyRouteComponent(() => import('./organization/general-page.tsx'), 'GeneralPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${organization}/members`,
      component: lazyRouteComponent(() => import('./organization/members-page.tsx'), 'MembersPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${organization}/integrations`,
      component: lazyRouteComponent(() => import('./integrations/integrations-page.tsx'), 'IntegrationsPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${organization}/maintenance`,
      component: lazyRouteComponent(() => import('./organization/maintenance-page.tsx'), 'OrganizationMaintenancePage'),
    }),
    createRoute({
      getParentRoute,
      path: `${organization}/audit`,
      component: lazyRouteComponent(() => import('./organization/audit-page.tsx'), 'AuditPage'),
    }),
    createRoute({
      getParentRoute,
      path: `${organization}/deliveries`,
      validateSearch: z.object({ status: listDeliveries.input.shape.status.catch(undefined) }),
      component: lazyRouteComponent(() => import('./organization/deliveries-page.tsx'), 'DeliveriesPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/settings/profile',
      component: lazyRouteComponent(() => import('./profile/notifications-page.tsx'), 'ProfileNotificationsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/settings/tokens',
      component: lazyRouteComponent(() => import('./tokens/tokens-page.tsx'), 'TokensPage'),
    }),
  ] as const
}
