import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'

/**
 * Answers a request for an app that arrived at the port of svc itself. The scheme stays as it is; the method is kept. It
 * is not for ever, because the operator may choose another port.
 */
export function movedToDoor(request: Request, label: string, { domain, port }: { domain: string; port: number }) {
  const body = html`<p>Apps answer at port ${port}.</p>`
  if (label === '')
    return pageResponse({ title: 'No such app', status: 404, body: html`<p>No app has this address.</p>` })
  const { pathname, search } = new URL(request.url)
  const response = pageResponse({ title: 'Another port', status: 307, body })
  response.headers.set('location', `//${label}.${domain}:${port}${pathname}${search}`)
  return response
}
