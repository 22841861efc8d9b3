import { pagesBelow, type RootRoute } from '#console/frame/root-route.tsx'

export function homeRoutes(root: RootRoute) {
  const { page } = pagesBelow(root)
  return [
    page('/', () => import('./home.tsx'), 'Home'),
    page('/signed-in', () => import('./signed-in.tsx'), 'SignedIn'),
    page('/setup/identity-provider', () => import('./identity-provider.tsx'), 'IdentityProvider'),
  ] as const
}
