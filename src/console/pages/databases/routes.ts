import { pagesBelow, type RootRoute } from '#console/frame/root-route.tsx'

export function databasesRoutes(root: RootRoute) {
  const { page } = pagesBelow(root)
  return [
    page('/databases', () => import('./databases-page.tsx'), 'DatabasesPage'),
    page('/databases/$name', () => import('./tables/database-page.tsx'), 'DatabasePage'),
    page('/databases/$name/prepare/$table', () => import('./prepare/prepare-page.tsx'), 'PreparePage'),
  ] as const
}
