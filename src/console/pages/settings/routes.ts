import { oneOf, searchOf } from '#console/address/search.ts'
import { pagesBelow, type RootRoute } from '#console/frame/root-route.tsx'
import { DELIVERY_STATUSES } from '#contract/notifications/deliveries.ts'
import { readAuditSearch } from './organization/audit-search.ts'

const readDeliverySearch = searchOf({ status: oneOf(DELIVERY_STATUSES) })

export function settingsRoutes(root: RootRoute) {
  const { page, filteredPage } = pagesBelow(root)
  const organization = '/settings/organization'
  const loadNotifications = () => import('./profile/notifications-page.tsx')
  return [
    page(organization, () => import('./organization/general-page.tsx'), 'GeneralPage'),
    page(`${organization}/members`, () => import('./organization/members-page.tsx'), 'MembersPage'),
    page(`${organization}/domains`, () => import('./organization/domains-page.tsx'), 'DomainsPage'),
    page(`${organization}/integrations`, () => import('./integrations/integrations-page.tsx'), 'IntegrationsPage'),
    page(
      `${organization}/maintenance`,
      () => import('./organization/maintenance-page.tsx'),
      'OrganizationMaintenancePage',
    ),
    filteredPage(`${organization}/audit`, readAuditSearch, () => import('./organization/audit-page.tsx'), 'AuditPage'),
    filteredPage(
      `${organization}/deliveries`,
      readDeliverySearch,
      () => import('./organization/deliveries-page.tsx'),
      'DeliveriesPage',
    ),
    page('/settings/profile', loadNotifications, 'ProfileNotificationsPage'),
    page('/settings/profile/notifications', loadNotifications, 'ProfileNotificationsPage'),
    page('/settings/profile/sessions', () => import('./profile/sessions-page.tsx'), 'SessionsPage'),
    page('/settings/tokens', () => import('./tokens/tokens-page.tsx'), 'TokensPage'),
  ] as const
}
