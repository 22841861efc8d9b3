import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { searchOf, text } from '#console/address/search.ts'
import type { RootRoute } from '#console/frame/root-route.tsx'
import { readChangeSearch } from './changes/read-change-search.ts'
import { readLogSearch } from './logs/read-log-search.ts'
import { readTicketSearch } from './tickets/read-ticket-search.ts'

export function appsRoutes(root: RootRoute) {
  const getParentRoute = () => root
  return [
    createRoute({
      getParentRoute,
      path: '/apps',
      component: lazyRouteComponent(() => import('./apps-page.tsx'), 'AppsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias',
      component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/deploys',
      component: lazyRouteComponent(() => import('./deploys/deploys-page.tsx'), 'DeploysPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/deploys/$deployId',
      component: lazyRouteComponent(() => import('./deploys/deploy-page.tsx'), 'DeployPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/revisions/$revisionId',
      validateSearch: searchOf({ base: text(100) }),
      component: lazyRouteComponent(() => import('./revisions/revision-page.tsx'), 'RevisionPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/logs',
      validateSearch: readLogSearch,
      component: lazyRouteComponent(() => import('./logs/logs-page.tsx'), 'LogsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/checks',
      component: lazyRouteComponent(() => import('./checks/checks-page.tsx'), 'ChecksPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/checks/$checkId',
      component: lazyRouteComponent(() => import('./checks/check-page.tsx'), 'CheckPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/tickets',
      validateSearch: readTicketSearch,
      component: lazyRouteComponent(() => import('./tickets/tickets-page.tsx'), 'TicketsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/tickets/$ticketId',
      component: lazyRouteComponent(() => import('./tickets/ticket-page.tsx'), 'TicketPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/pipelines',
      component: lazyRouteComponent(() => import('./pipelines/pipelines-page.tsx'), 'PipelinesPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/pipelines/$pipelineId',
      component: lazyRouteComponent(() => import('./pipelines/pipeline-page.tsx'), 'PipelinePage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/maintenance',
      component: lazyRouteComponent(() => import('./maintenance/maintenance-page.tsx'), 'MaintenancePage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/maintenance/$executionId',
      component: lazyRouteComponent(() => import('./maintenance/run-page.tsx'), 'RunPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/people',
      component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'PeoplePage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/settings',
      component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/changes',
      validateSearch: readChangeSearch,
      component: lazyRouteComponent(() => import('./changes/changes-page.tsx'), 'ChangesPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/changes',
      component: lazyRouteComponent(() => import('./changes/app-changes-page.tsx'), 'AppChangesPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/apps/$alias/changes/$proposalId',
      component: lazyRouteComponent(() => import('./changes/change-page.tsx'), 'ChangePage'),
    }),
  ] as const
}
