import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'

/** The answers to requests that go to no app. */
export const PAGES = {
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

export function page(status: number, title: string, text: string): Response {
  return pageResponse({ title, status, body: html`<p>${text}</p>` })
}
