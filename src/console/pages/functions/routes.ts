import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { searchOf, text } from '#console/address/search.ts'
import type { RootRoute } from '#console/frame/root-route.tsx'

export function functionsRoutes(root: RootRoute) {
  const getParentRoute = () => root
  return [
    createRoute({
      getParentRoute,
      path: '/functions',
      // `call` names the function whose form is open, as `app/function`.
      validateSearch: searchOf({ call: text(200) }),
      component: lazyRouteComponent(() => import('./functions-page.tsx'), 'FunctionsPage'),
    }),
  ] as const
}
