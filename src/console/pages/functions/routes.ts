import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { z } from 'zod'
import type { RootRoute } from '../../frame/root-route.tsx'

/** `call` names the function whose form is open, as `app/function`. */
const Search = z.object({ call: z.string().max(200).optional().catch(undefined) })

export function functionsRoutes(root: RootRoute) {
  const getParentRoute = () => root
  return [
    createRoute({
      getParentRoute,
      path: '/functions',
      validateSearch: Search,
      component: lazyRouteComponent(() => import('./functions-page.tsx'), 'FunctionsPage'),
    }),
  ] as const
}
