import { isTrue, oneOf, searchOf, text } from '#console/address/search.ts'
import { readRangeSearch } from '#console/charts/series/read-range-search.ts'
import { pagesBelow, type RootRoute } from '#console/frame/root-route.tsx'
import { PROPOSAL_STATUSES } from '#contract/maintenance/proposals.ts'
import { TICKET_STATUSES } from '#contract/tickets.ts'
import { readLogSearch } from './logs/read-log-search.ts'

/** Without a status, the queue shows what waits for a decision. */
const readChangeSearch = searchOf({ status: oneOf(['any', ...PROPOSAL_STATUSES]) })
const readTicketSearch = searchOf({ status: oneOf(TICKET_STATUSES), mine: isTrue })
const readRevisionSearch = searchOf({ base: text(100) })

export function appsRoutes(root: RootRoute) {
  const { page, filteredPage } = pagesBelow(root)
  return [
    page('/apps', () => import('./apps-page.tsx'), 'AppsPage'),
    filteredPage('/apps/$alias', readRangeSearch, () => import('./overview/overview-page.tsx'), 'OverviewPage'),
    page('/apps/$alias/deploys', () => import('./deploys/deploys-page.tsx'), 'DeploysPage'),
    page('/apps/$alias/deploys/$deployId', () => import('./deploys/deploy-page.tsx'), 'DeployPage'),
    filteredPage(
      '/apps/$alias/revisions/$revisionId',
      readRevisionSearch,
      () => import('./revisions/revision-page.tsx'),
      'RevisionPage',
    ),
    filteredPage('/apps/$alias/logs', readLogSearch, () => import('./logs/logs-page.tsx'), 'LogsPage'),
    page('/apps/$alias/checks', () => import('./checks/checks-page.tsx'), 'ChecksPage'),
    filteredPage('/apps/$alias/checks/$checkId', readRangeSearch, () => import('./checks/check-page.tsx'), 'CheckPage'),
    filteredPage('/apps/$alias/tickets', readTicketSearch, () => import('./tickets/tickets-page.tsx'), 'TicketsPage'),
    page('/apps/$alias/tickets/$ticketId', () => import('./tickets/ticket-page.tsx'), 'TicketPage'),
    page('/apps/$alias/pipelines', () => import('./pipelines/pipelines-page.tsx'), 'PipelinesPage'),
    filteredPage(
      '/apps/$alias/pipelines/$pipelineId',
      readRangeSearch,
      () => import('./pipelines/pipeline-page.tsx'),
      'PipelinePage',
    ),
    page('/apps/$alias/maintenance', () => import('./maintenance/maintenance-page.tsx'), 'MaintenancePage'),
    page('/apps/$alias/maintenance/$executionId', () => import('./maintenance/run-page.tsx'), 'RunPage'),
    page('/apps/$alias/people', () => import('./people/people-page.tsx'), 'PeoplePage'),
    page('/apps/$alias/settings', () => import('./settings/settings-page.tsx'), 'SettingsPage'),
    filteredPage('/changes', readChangeSearch, () => import('./changes/changes-page.tsx'), 'ChangesPage'),
    page('/apps/$alias/changes', () => import('./changes/app-changes-page.tsx'), 'AppChangesPage'),
    page('/apps/$alias/changes/$proposalId', () => import('./changes/change-page.tsx'), 'ChangePage'),
  ] as const
}
