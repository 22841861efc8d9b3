import { HOP_HEADER, type Hops } from '#edge/hop.ts'
import type { RequestInfo, ServiceFetch } from '#edge/route.ts'
import { refuseInTransaction } from '#lib/db/transaction-guard.ts'
import type { OperatorFetch } from '#lib/net/operator-fetch.ts'

/** A neighbour in this process: called in memory, under the same rule as one over the network. */
export function localNeighbour(serviceOf: () => ServiceFetch): ServiceFetch {
  return async (request, info) => {
    refuseInTransaction('a call to another service')
    return serviceOf()(request, info)
  }
}

/** Headers that belong to one connection (RFC 9110 section 7.6.1), and what only our own processes may say. */
const NOT_PASSED_ON = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'forwarded',
  'x-forwarded-for',
  HOP_HEADER,
]

/** A neighbour elsewhere: the same request under its address, with a signed word on who the end client is. */
export function remoteNeighbour(baseUrl: string, send: OperatorFetch, hops: Hops): ServiceFetch {
  return async (request, info) => {
    const response = await send(addressedTo(baseUrl, request, info, hops))
    return new Response(response.body, { status: response.status, headers: without(response.headers) })
  }
}

function addressedTo(baseUrl: string, request: Request, info: RequestInfo, hops: Hops): Request {
  const from = new URL(request.url)
  const url = new URL(baseUrl.replace(/\/$/, '') + from.pathname + from.search)
  const headers = without(request.headers)
  headers.set(HOP_HEADER, hops.sign(request.method, url.href, info))
  const init: RequestInit & { duplex: 'half' } = {
    method: request.method,
    headers,
    body: request.body,
    signal: request.signal,
    duplex: 'half',
  }
  return new Request(url, init)
}

function without(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of NOT_PASSED_ON) kept.delete(name)
  return kept
}
