import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { RootRoute } from '#console/frame/root-route.tsx'
import { readActivitySearch, readSourceActivitySearch } from './activity/read-activity-search.ts'

export function mcpRoutes(root: RootRoute) {
  const getParentRoute = () => root
  const source = createRoute({
    getParentRoute,
    path: '/mcp/sources/$id',
    component: lazyRouteComponent(() => import('./source/source-page.tsx'), 'SourcePage'),
  })
  const ofSource = () => source
  return [
    createRoute({
      getParentRoute,
      path: '/mcp/sources',
      component: lazyRouteComponent(() => import('./sources/sources-page.tsx'), 'SourcesPage'),
    }),
    source.addChildren([
      createRoute({
        getParentRoute: ofSource,
        path: '/',
        component: lazyRouteComponent(() => import('./source/ask/ask-tab.tsx'), 'AskTab'),
      }),
      createRoute({
        getParentRoute: ofSource,
        path: '/configuration',
        component: lazyRouteComponent(() => import('./source/configuration-tab.tsx'), 'ConfigurationTab'),
      }),
      createRoute({
        getParentRoute: ofSource,
        path: '/exposure',
        component: lazyRouteComponent(() => import('./source/exposure-tab.tsx'), 'ExposureTab'),
      }),
      createRoute({
        getParentRoute: ofSource,
        path: '/activity',
        validateSearch: readSourceActivitySearch,
        component: lazyRouteComponent(() => import('./source/activity-tab.tsx'), 'ActivityTab'),
      }),
    ]),
    createRoute({
      getParentRoute,
      path: '/mcp/activity',
      validateSearch: readActivitySearch,
      component: lazyRouteComponent(() => import('./activity/activity-page.tsx'), 'ActivityPage'),
    }),
    createRoute({
      getParentRoute,
      path: '/mcp/agents',
      component: lazyRouteComponent(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
    }),
  ] as const
}
