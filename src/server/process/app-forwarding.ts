import { ServiceError } from '#contract/core/errors.ts'
import type { AppRequest } from '#edge/apps.ts'
import { HOP_HEADER, type Hops } from '#edge/credentials/hop.ts'
import { CONNECTION_HEADERS } from '#lib/net/end-to-end-headers.ts'
import type { OperatorFetch } from '#lib/net/operator-fetch.ts'
import type { ForwardToApp } from '../compose/parts.ts'

/** Requests to apps arrive at the worker below this path, followed by the label of the app. */
const PREFIX = '/.svc/app-traffic/'
const HOST_HEADER = 'x-svc-app-host'
const SECURE_HEADER = 'x-svc-app-secure'
/** Carries `Upgrade`, which belongs to a connection, so that the door of the worker can refuse it. */
const UPGRADE_HEADER = 'x-svc-app-upgrade'

type Deps = {
  readonly workerUrl: () => string | undefined
  readonly send: OperatorFetch
  readonly hops: Hops
}

/** Sends requests to apps on to the worker of another process. A signed header says that they are the api-gateway's. */
export function createAppForwarder({ workerUrl, send, hops }: Deps): ForwardToApp {
  return async ({ label, request, host, isSecure }, info) => {
    const base = workerUrl()
    if (base === undefined)
      throw new ServiceError('UNAVAILABLE', 'No worker runs apps here. The operator must set WORKER_URL.')
    const { pathname, search } = new URL(request.url)
    const url = `${base.replace(/\/$/, '')}${PREFIX}${label}${pathname}${search}`
    const { method, body, signal } = request
    const headers = new Headers(request.headers)
    const upgrade = headers.get('upgrade')
    for (const name of [...CONNECTION_HEADERS, 'expect', 'host', 'content-length']) headers.delete(name)
    if (upgrade !== null) headers.set(UPGRADE_HEADER, upgrade)
    headers.set(HOST_HEADER, host)
    headers.set(SECURE_HEADER, String(isSecure))
    headers.set(HOP_HEADER, hops.sign(method, url, info))
    const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, redirect: 'manual', duplex: 'half' }
    return send(new Request(url, init))
  }
}

/** Returns undefined for a request that is not to an app, or that no api-gateway of this installation signed. */
export function readForwardedApp(request: Request, hops: Hops): AppRequest | undefined {
  const url = new URL(request.url)
  if (!url.pathname.startsWith(PREFIX)) return undefined
  const client = hops.verify(request.headers.get(HOP_HEADER) ?? '', request.method, request.url)
  if (!client) return undefined
  const rest = url.pathname.slice(PREFIX.length)
  const end = rest.indexOf('/')
  const { method, body, signal } = request
  const headers = new Headers(request.headers)
  const upgrade = headers.get(UPGRADE_HEADER)
  if (upgrade !== null) headers.set('upgrade', upgrade)
  for (const name of [HOST_HEADER, SECURE_HEADER, UPGRADE_HEADER, HOP_HEADER]) headers.delete(name)
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, redirect: 'manual', duplex: 'half' }
  return {
    label: rest.slice(0, end),
    request: new Request(`${url.origin}${rest.slice(end)}${url.search}`, init),
    clientAddress: client.clientAddress,
    host: request.headers.get(HOST_HEADER) ?? '',
    isSecure: request.headers.get(SECURE_HEADER) === 'true',
  }
}
