import { HOP_HEADER, type Hops } from '#edge/credentials/hop.ts'
import { newId } from '#edge/ids.ts'
import { CONNECTION_HEADERS } from '#lib/net/end-to-end-headers.ts'
import type { AppRequest } from '#ports/apps.ts'

/** Requests to apps arrive at the worker below this path, followed by the label of the app. */
const PREFIX = '/.svc/app-traffic/'
const HOST_HEADER = 'x-svc-app-host'
const SECURE_HEADER = 'x-svc-app-secure'
/** Carries `Upgrade`, which belongs to a connection, so that the door of the worker can refuse it. */
const UPGRADE_HEADER = 'x-svc-app-upgrade'

/** Returns a request to an app as the door of the worker gets it. A signed header says that it comes from a door of ours. */
export function requestForWorker({ label, request, host, isSecure, clientAddress }: AppRequest, hops: Hops): Request {
  const { pathname, search } = new URL(request.url)
  const url = `http://worker${PREFIX}${label}${pathname}${search}`
  const { method, body, signal } = request
  const headers = new Headers(request.headers)
  const upgrade = headers.get('upgrade')
  for (const name of [...CONNECTION_HEADERS, 'expect', 'host']) headers.delete(name)
  if (upgrade !== null) headers.set(UPGRADE_HEADER, upgrade)
  headers.set(HOST_HEADER, host)
  headers.set(SECURE_HEADER, String(isSecure))
  headers.set(HOP_HEADER, hops.sign(method, url, { clientAddress, requestId: newId('req'), via: 'api', direct: false }))
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, redirect: 'manual', duplex: 'half' }
  return new Request(url, init)
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
  const host = headers.get(HOST_HEADER) ?? ''
  // The app sees its own host name, with which it may compare the origin of a page, and not the one of the worker.
  if (host !== '') headers.set('host', host)
  for (const name of [HOST_HEADER, SECURE_HEADER, UPGRADE_HEADER, HOP_HEADER]) headers.delete(name)
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, redirect: 'manual', duplex: 'half' }
  return {
    label: rest.slice(0, end),
    request: new Request(`${url.origin}${rest.slice(end)}${url.search}`, init),
    clientAddress: client.clientAddress,
    host,
    isSecure: request.headers.get(SECURE_HEADER) === 'true',
  }
}
