import { type AnyRoute, createRootRoute, createRoute } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { lazyComponent } from '../parts/page/lazy-component.ts'
import { Frame } from './frame.tsx'
import { NoSuchPage } from './no-such-page.tsx'
import { PageBroke } from './page-broke.tsx'

export type RootRoute = ReturnType<typeof createRoot>

export function createRoot() {
  return createRootRoute({ component: Frame, notFoundComponent: NoSuchPage, errorComponent: PageBroke })
}

/** Loads the script of a page, which exports its component by this name. */
type Load<Name extends string> = () => Promise<Record<Name, () => ReactNode>>
type ReadSearch = (given: Record<string, unknown>) => object

/** Returns the functions that give a page its address: a page, and one whose address also has filters. */
export function pagesBelow<R extends AnyRoute>(parent: R) {
  const getParentRoute = () => parent
  return {
    page: <const P extends string, N extends string>(path: P, load: Load<N>, name: N) =>
      createRoute({ getParentRoute, path, component: lazyComponent(load, name) }),
    filteredPage: <const P extends string, S extends ReadSearch, N extends string>(
      path: P,
      validateSearch: S,
      load: Load<N>,
      name: N,
    ) => createRoute({ getParentRoute, path, validateSearch, component: lazyComponent(load, name) }),
  }
}
