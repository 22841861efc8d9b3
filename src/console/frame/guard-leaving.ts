import type { AnyRouter, HistoryLocation } from '@tanstack/react-router'
import type { Connection } from '../session/connection.ts'

type Leaving = { readonly currentLocation: HistoryLocation; readonly nextLocation: HistoryLocation }

/**
 * Keeps the page that is open while the service does not answer: another one could only show that it cannot be loaded,
 * and the browser would replace the console by an error page of its own.
 */
export function guardLeaving(router: AnyRouter, connection: Connection): void {
  router.history.block({
    enableBeforeUnload: false,
    blockerFn: async ({ currentLocation, nextLocation }: Leaving) => {
      // Filters of the same page are part of its address.
      if (currentLocation.pathname === nextLocation.pathname) return false
      if (!(await connection.mayOpen())) return true
      try {
        await loadScripts(router, nextLocation.pathname)
        return false
      } catch {
        // The service was upgraded since, or the browser remembers a failure: the whole page is read anew.
        if (await connection.check()) location.assign(nextLocation.href)
        else await connection.mayOpen()
        return true
      }
    },
  })
  document.addEventListener('click', (event) => {
    const address = leavesConsole(event)
    if (address === undefined) return
    event.preventDefault()
    void connection.check().then(async (isReached) => {
      if (isReached || (await connection.mayOpen())) location.assign(address)
    })
  })
}

type Preloading = { readonly preload?: () => Promise<void> }

async function loadScripts(router: AnyRouter, path: string): Promise<void> {
  const [routes] = router.getMatchedRoutes(path)
  await Promise.all(routes.map(async ({ options }) => (options.component as Preloading | undefined)?.preload?.()))
}

/** Returns the address of a link of this service that is no page of the console, such as that of the guides. */
function leavesConsole(event: MouseEvent): string | undefined {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented, target } = event
  if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return undefined
  const link = target instanceof Element ? target.closest('a') : null
  if (!link || link.href === '' || link.target !== '' || link.hasAttribute('download')) return undefined
  if (link.origin !== location.origin || isOnPage(link)) return undefined
  return link.href
}

function isOnPage({ pathname, search, hash }: HTMLAnchorElement): boolean {
  return hash !== '' && pathname === location.pathname && search === location.search
}
