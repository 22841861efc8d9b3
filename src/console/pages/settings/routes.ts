import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, searchOf } from '#console/address/search.ts'
import type { RootRoute } from '#console/frame/root-route.tsx'
import { DELIVERY_STATUSES } from '#contract/notifications/deliveries.ts'

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
      path: `${organization}/domains`,
      component: lazyRouteComponent(() => import('./organization/domains-page.tsx'), 'DomainsPage'),
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
      validateSearch: searchOf({ status: oneOf(DELIVERY_STATUSES) }),
      component: lazyRouteComponent(() => import('./organization/deliveries-page.tsx'), 'DeliveriesPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/settings/profile',
      component: lazyRouteComponent(() => import('./profile/notifications-page.tsx'), 'ProfileNotificationsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/settings/profile/notifications',
      component: lazyRouteComponent(() => import('./profile/notifications-page.tsx'), 'ProfileNotificationsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/settings/profile/sessions',
      component: lazyRouteComponent(() => import('./profile/sessions-page.tsx'), 'SessionsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/settings/tokens',
      component: lazyRouteComponent(() => import('./tokens/tokens-page.tsx'), 'TokensPage'),
    }),
  ] as const
}
