import { createRouter, RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import { NoticesProvider } from './parts/notices.tsx'
import { createRoutes } from './routes.tsx'

function createPages() {
  return createRouter({ routeTree: createRoutes(), defaultPreload: 'intent', scrollRestoration: true })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>
  }
}

/** All pages of the console, each under its own address. */
export function Pages() {
  const [router] = useState(createPages)
  return (
    <NoticesProvider>
      <RouterProvider router={router} />
    </NoticesProvider>
  )
}
