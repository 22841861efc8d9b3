import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import type { AnswerAppRequest, AppRequest } from '#ports/apps.ts'
import type { NoRoute } from '../messages.ts'
import { headersForApp, headersFromApp } from './headers.ts'

export type AppRoute =
  | { readonly type: 'app'; readonly fetch: (request: Request) => Promise<Response>; readonly end: () => void }
  | { readonly type: 'elsewhere'; readonly forward: AnswerAppRequest; readonly end: () => void }
  | NoRoute

type Deps = {
  readonly find: (request: AppRequest) => Promise<AppRoute>
  readonly onError: (error: unknown, label: string) => void
}

/** Answers requests to apps. Nothing of svc itself is served here. */
export function createAppDoor({ find, onError }: Deps): AnswerAppRequest {
  return async (asked) => {
    const { label, request } = asked
    if (request.headers.has('upgrade')) return page(501, 'Not supported', 'Apps cannot be reached by WebSocket.')
    const route = await find(asked)
    try {
      if (route.type === 'app') return await answerOf(route, asked)
      if (route.type === 'elsewhere') return await route.forward(asked)
      return PAGES[route.type]()
    } catch (error) {
      // A request that could not even be sent is not under way any more.
      if ('end' in route) route.end()
      if (!request.signal.aborted) onError(error, label)
      return page(502, 'No answer', 'The app did not answer this request.')
    }
  }
}

async function answerOf(
  route: Extract<AppRoute, { type: 'app' }>,
  { request, clientAddress, host, isSecure }: AppRequest,
): Promise<Response> {
  const { method, body, signal } = request
  const url = new URL(request.url)
  const headers = headersForApp(request.headers, { address: clientAddress, host, isSecure })
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, redirect: 'manual', duplex: 'half' }
  const response = await route.fetch(new Request(`http://127.0.0.1${url.pathname}${url.search}`, init))
  const { status, statusText } = response
  return new Response(response.body, { status, statusText, headers: headersFromApp(response.headers) })
}

const PAGES = {
  unknown: () => page(404, 'No such app', 'No app has this address.'),
  not_running: () => soon(page(503, 'App not running', 'This app is not running at the moment. Try again shortly.')),
  no_worker: () => page(503, 'No worker', 'No worker runs apps here. The operator must set WORKER_URL.'),
  failed: () => soon(page(503, 'Not available', 'The app could not be looked up. Try again shortly.')),
  busy: () => soon(page(503, 'Too many requests', 'Too many requests to this app are under way. Try again shortly.')),
} satisfies Record<string, () => Response>

function soon(response: Response): Response {
  response.headers.set('retry-after', '5')
  return response
}

function page(status: number, title: string, text: string): Response {
  return pageResponse({ title, status, body: html`<p>${text}</p>` })
}
