import type { AnswerAppRequest } from '#edge/apps.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import type { Instance } from '../deploys/target.ts'
import type { AppTraffic } from '../host/traffic.ts'
import { headersForApp, headersFromApp } from './headers.ts'

type Deps = {
  readonly traffic: Pick<AppTraffic, 'find'>
  /** Finds an app that another process hosts and this one can reach. Undefined: only the host can. */
  readonly findElsewhere?: ((label: string) => Promise<Pick<Instance, 'fetch'> | undefined>) | undefined
  /** Whether an app of that label exists, wherever it runs. */
  readonly hasApp: (label: string) => Promise<boolean>
  readonly onError: (error: unknown, label: string) => void
}
/** Answers requests to apps that this process runs, or can reach. Nothing of svc itself is served here. */
export function createAppDoor({ traffic, findElsewhere, hasApp, onError }: Deps): AnswerAppRequest {
  return async ({ label, request, clientAddress, host, isSecure }) => {
    if (request.headers.has('upgrade')) return page(501, 'Not supported', 'Apps cannot be reached by WebSocket.')
    const instance = traffic.find(label) ?? (await findElsewhere?.(label))
    if (!instance) return (await hasApp(label)) ? notRunning() : unknownApp()
    const { method, body, signal } = request
    const url = new URL(request.url)
    const headers = headersForApp(request.headers, { address: clientAddress, host, isSecure })
    const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, redirect: 'manual', duplex: 'half' }
    try {
      const response = await instance.fetch(new Request(`http://127.0.0.1${url.pathname}${url.search}`, init))
      const { status, statusText } = response
      return new Response(response.body, { status, statusText, headers: headersFromApp(response.headers) })
    } catch (error) {
      if (!signal.aborted) onError(error, label)
      return page(502, 'No answer', 'The app did not answer this request.')
    }
  }
}

function unknownApp(): Response {
  return page(404, 'No such app', 'No app has this address.')
}

function notRunning(): Response {
  const response = page(503, 'App not running', 'This app is not running at the moment. Try again shortly.')
  response.headers.set('retry-after', '5')
  return response
}

function page(status: number, title: string, text: string): Response {
  return pageResponse({ title, status, body: html`<p>${text}</p>` })
}
