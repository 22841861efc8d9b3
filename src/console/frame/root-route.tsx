import { createRootRoute } from '@tanstack/react-router'
import { Frame } from './frame.tsx'
import { NoSuchPage } from './no-such-page.tsx'
import { PageBroke } from './page-broke.tsx'

export type RootRoute = ReturnType<typeof createRoot>

export function createRoot() {
  return createRootRoute({ component: Frame, notFoundComponent: NoSuchPage, errorComponent: PageBroke })
}
