import { pathShape } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { HOP_HEADER, type Hops } from '#edge/credentials/hop.ts'
import { boundedBody, refuseLargeBody, toStream } from '#edge/http/read-input.ts'
import type { RequestInfo, ServiceFetch } from '#edge/http/route.ts'
import { refuseInTransaction } from '#lib/db/transaction-guard.ts'
import type { OperatorFetch } from '#lib/net/operator-fetch.ts'

/** A neighbour in this process: called in memory, under the same rule as one over the network. */
export function localNeighbour(serviceOf: () => ServiceFetch): ServiceFetch {
  return async (request, info) => {
    refuseInTransaction('a call to another service')
    return serviceOf()(request, info)
  }
}

/** A neighbour elsewhere: the same request under its address, with a signed word on who the end client is. */
export function remoteNeighbour(baseUrl: string, send: OperatorFetch, hops: Hops): ServiceFetch {
  return async (request, info) => {
    const body = boundedForward(request)
    try {
      const response = await send(addressedTo(baseUrl, request, body?.stream ?? null, info, hops))
      return new Response(response.body, { status: response.status, headers: without(response.headers) })
    } catch (error) {
      throw body?.refusal ?? error
    }
  }
}

/**
 * Holds the body to the limit of its operation here, at the door: an early answer of the neighbour to a body that
 * is still being sent may be lost on the way back.
 */
function boundedForward(request: Request): { stream: ReadableStream<Uint8Array>; refusal?: unknown } | undefined {
  if (!request.body) return undefined
  const limit = bodyLimitOf(request.method, new URL(request.url).pathname)
  refuseLargeBody(request, limit)
  const { body } = request
  async function* chunks() {
    try {
      yield* boundedBody(body, limit)
    } catch (error) {
      forward.refusal = error
      throw error
    }
  }
  const forward: { stream: ReadableStream<Uint8Array>; refusal?: unknown } = { stream: toStream(chunks()) }
  return forward
}

const LIMITS = OPERATIONS.map(({ method, path, bodyLimit }) => ({ method, shape: pathShape(path), bodyLimit }))

function bodyLimitOf(method: string, path: string): number {
  return LIMITS.find((row) => row.method === method && row.shape.test(path))?.bodyLimit ?? 0
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

function addressedTo(
  baseUrl: string,
  request: Request,
  body: ReadableStream<Uint8Array> | null,
  info: RequestInfo,
  hops: Hops,
): Request {
  const from = new URL(request.url)
  const url = new URL(baseUrl.replace(/\/$/, '') + from.pathname + from.search)
  const headers = without(request.headers)
  headers.set(HOP_HEADER, hops.sign(request.method, url.href, info))
  const { method, signal } = request
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, duplex: 'half' }
  return new Request(url, init)
}

function without(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of NOT_PASSED_ON) kept.delete(name)
  return kept
}
