import { pagesBelow, type RootRoute } from '#console/frame/root-route.tsx'

export function databasesRoutes(root: RootRoute) {
  const { page } = pagesBelow(root)
  return [page('/databases', () => import('./databases-page.tsx'), 'DatabasesPage')] as const
}
