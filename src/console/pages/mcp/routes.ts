import { pagesBelow, type RootRoute } from '#console/frame/root-route.tsx'
import { readActivitySearch, readSourceActivitySearch } from './activity/read-activity-search.ts'

export function mcpRoutes(root: RootRoute) {
  const { page, filteredPage } = pagesBelow(root)
  const source = page('/mcp/sources/$id', () => import('./source/source-page.tsx'), 'SourcePage')
  const tabs = pagesBelow(source)
  return [
    page('/mcp/sources', () => import('./sources/sources-page.tsx'), 'SourcesPage'),
    source.addChildren([
      tabs.page('/', () => import('./source/ask/ask-tab.tsx'), 'AskTab'),
      tabs.page('/configuration', () => import('./source/configuration-tab.tsx'), 'ConfigurationTab'),
      tabs.page('/exposure', () => import('./source/exposure-tab.tsx'), 'ExposureTab'),
      tabs.filteredPage(
        '/activity',
        readSourceActivitySearch,
        () => import('./source/activity-tab.tsx'),
        'ActivityTab',
      ),
    ]),
    filteredPage('/mcp/activity', readActivitySearch, () => import('./activity/activity-page.tsx'), 'ActivityPage'),
    page('/mcp/agents', () => import('./agents/agents-page.tsx'), 'AgentsPage'),
  ] as const
}
