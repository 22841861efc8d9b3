import { CONSOLE_ADDRESSES, consoleAsset, consolePage } from '#contract/console.ts'
import { notFound } from '#contract/core/errors.ts'
import { pathShape } from '#contract/core/operation.ts'
import { prefersHtml } from '#edge/format/negotiate.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { assetResponse, indexResponse } from './files.ts'

type ConsoleDeps = {
  /** Folder of the built console; undefined while there is none. */
  folder: () => string | undefined
  /** Whether an operation of any service has this path. */
  isOperation: (path: string) => boolean
}

type Console = {
  readonly routes: readonly Route[]
  /**
   * Answers a browser at an address of the console, and with 404 at an address that is nobody's. Returns undefined for
   * every other request.
   */
  pageFor(request: Request, path: string): Promise<Response | undefined>
}

/** Serves the built console, or a page that says how to build it where there is none. */
export function createConsole({ folder, isOperation }: ConsoleDeps): Console {
  const addresses = CONSOLE_ADDRESSES.map(pathShape)
  const index = (request: Request, status: number) => indexResponse(folder(), request, status)
  return {
    routes: [
      route(consolePage, async (_, { request }) => (await index(request, 200)) ?? notBuilt()),
      route(consoleAsset, async ({ file }, { request }) => {
        const response = await assetResponse(folder(), file, request)
        if (!response) throw notFound()
        return response
      }),
    ],
    pageFor: async (request, path) => {
      if ((request.method !== 'GET' && request.method !== 'HEAD') || !prefersHtml(request.headers.get('accept'))) return
      if (addresses.some((shape) => shape.test(path))) return (await index(request, 200)) ?? notBuilt()
      return isOperation(path) ? undefined : index(request, 404)
    },
  }
}

/** Only a checkout can be without a console. `npm start` builds it beside the running server. */
function notBuilt(): Response {
  const response = pageResponse({
    title: 'The console is not built yet',
    body: html`<p>While <code>npm start</code> builds it, this page reloads by itself. Otherwise run <code>npm run build</code>.</p>
<p>The API reference is at <a href="/docs">/docs</a>.</p>`,
  })
  response.headers.set('refresh', '2')
  return response
}
