import type { AnswerAppRequest, AppRequest } from '#ports/apps.ts'
import type { NoRoute } from '../messages.ts'
import { headersForApp, headersFromApp } from './headers.ts'
import { page, whyNoRoute } from './pages.ts'

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
    if (request.headers.has('upgrade'))
      return page(request, 501, 'Not supported', 'A connection to an app can be upgraded to WebSocket only.')
    const route = await find(asked)
    try {
      if (route.type === 'app') return await answerOf(route, asked)
      if (route.type === 'elsewhere') return await route.forward(asked)
      return whyNoRoute(route, request)
    } catch (error) {
      // A request that could not even be sent is not under way any more.
      if ('end' in route) route.end()
      if (!request.signal.aborted) onError(error, label)
      return page(request, 502, 'No answer', 'The app did not answer this request.')
    }
  }
}

async function answerOf(route: Extract<AppRoute, { type: 'app' }>, asked: AppRequest): Promise<Response> {
  return passedOn(await route.fetch(requestForApp(asked)))
}

/** Returns a request as the app gets it. */
export function requestForApp({ request, clientAddress, host, isSecure }: AppRequest): Request {
  const { method, body, signal } = request
  const url = new URL(request.url)
  const headers = headersForApp(request.headers, { address: clientAddress, host, isSecure })
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, redirect: 'manual', duplex: 'half' }
  return new Request(`http://127.0.0.1${url.pathname}${url.search}`, init)
}

/** Returns the answer of an app as its client gets it. */
export function passedOn({ status, statusText, headers, body }: Response): Response {
  return new Response(body, { status, statusText, headers: headersFromApp(headers) })
}
