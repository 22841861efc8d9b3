import { prefersHtml } from '#edge/format/negotiate.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import type { NoRoute } from '../messages.ts'

type RequestHeaders = Pick<Request, 'headers'>

/** The answers to requests that go to no app. */
export const PAGES = {
  unknown: (asked) => page(asked, 404, 'No such app', 'No app has this address.'),
  not_running: (asked) =>
    soon(page(asked, 503, 'App not running', 'This app is not running at the moment. Try again shortly.')),
  starting: (asked) => soon(page(asked, 503, 'App is starting', 'This app is starting. Try again in a few seconds.')),
  no_worker: (asked) => page(asked, 503, 'No worker', 'No worker runs apps here. The operator must set WORKER_URL.'),
  failed: (asked) => soon(page(asked, 503, 'Not available', 'The app could not be looked up. Try again shortly.')),
  busy: (asked) =>
    soon(page(asked, 503, 'Too many requests', 'Too many requests to this app are under way. Try again shortly.')),
} satisfies Record<string, (asked: RequestHeaders) => Response>

/** Answers a request that goes to no app with the reason. */
export function whyNoRoute(route: NoRoute, asked: RequestHeaders): Response {
  return PAGES[route.type === 'not_running' && route.isStarting ? 'starting' : route.type](asked)
}

function soon(response: Response): Response {
  response.headers.set('retry-after', '5')
  return response
}

/** Answers browsers with a page, and programs such as curl with two lines of text. */
export function page({ headers }: RequestHeaders, status: number, title: string, text: string): Response {
  const response = prefersHtml(headers.get('accept'))
    ? pageResponse({ title, status, body: html`<p>${text}</p>` })
    : new Response(`${title}\n${text}\n`, { status, headers: PLAIN_HEADERS })
  response.headers.set('vary', 'accept')
  return response
}

const PLAIN_HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
