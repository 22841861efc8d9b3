import { createRouter, RouterProvider } from '@tanstack/react-router'
import { NoticesProvider } from './call/notices.tsx'
import { createRoutes } from './routes.tsx'

/** Creates the pages and begins to load the script of the one that is open, while it is asked who is signed in. */
export function createPages() {
  const router = createRouter({ routeTree: createRoutes(), defaultPreload: 'intent', scrollRestoration: true })
  void router.preloadRoute({ to: location.pathname })
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>
  }
  interface HistoryState {
    /** A question that a link proposes. It is not in the address, because logs of servers keep addresses. */
    question?: string
    /** The label of the button that the palette presses on arrival. */
    act?: string
  }
}

export function Pages({ router }: { router: ReturnType<typeof createPages> }) {
  return (
    <NoticesProvider>
      <RouterProvider router={router} />
    </NoticesProvider>
  )
}
