import { createElement, type FunctionComponent, use } from 'react'

/** A component whose script is loaded when it is first needed. `preload` throws if it cannot be loaded, and tries again. */
type LazyComponent<P> = FunctionComponent<P> & { readonly preload: () => Promise<void> }

/**
 * Takes the place of `lazy` of React, which keeps a failure for as long as the page is open, and of the router's, which
 * loads the whole page anew: while the service is away that leaves the person with an error page of the browser.
 */
export function lazyComponent<P extends object, N extends string>(
  load: () => Promise<Record<N, FunctionComponent<P>>>,
  name: N,
): LazyComponent<P> {
  let component: FunctionComponent<P> | undefined
  let loading: Promise<void> | undefined
  let hasFailed = false
  const preload = (): Promise<void> => {
    if (loading && !hasFailed) return loading
    hasFailed = false
    loading = load().then(
      (module) => {
        component = module[name]
      },
      (error: unknown) => {
        hasFailed = true
        throw error
      },
    )
    return loading
  }
  const Lazy = (props: P) => {
    // Drawing it again never loads again: it is drawn again because of the failure.
    if (component === undefined) use(loading ?? preload())
    return createElement(component!, props)
  }
  return Object.assign(Lazy, { preload })
}
