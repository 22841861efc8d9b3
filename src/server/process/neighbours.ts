import type { Operation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { HOP_HEADER, type Hops } from '#edge/credentials/hop.ts'
import { boundedBody, refuseLargeBody, toStream } from '#edge/input/read-input.ts'
import type { RequestInfo, ServiceFetch } from '#edge/route/route.ts'
import { createRouter, splitUrl } from '#edge/route/router.ts'
import { forwardedStream, framingOf } from '#edge/stream/forwarded-stream.ts'
import type { OpenStreams } from '#edge/stream/open-streams.ts'
import { refuseInTransaction } from '#lib/db/transaction-guard.ts'
import { CONNECTION_HEADERS } from '#lib/net/end-to-end-headers.ts'
import type { OperatorFetch } from '#lib/net/operator-fetch.ts'
import type { Spans } from '#lib/tracing/spans.ts'

/** Calls a service of this process in memory. Inside a transaction it throws, as a call over the network does. */
export function localNeighbour(serviceOf: () => ServiceFetch): ServiceFetch {
  return async (request, info) => {
    refuseInTransaction('a call to another service')
    return serviceOf()(request, info)
  }
}

type RemoteDeps = {
  send: OperatorFetch
  hops: Hops
  openStreams: OpenStreams
  /** Absent while tracing is switched off. */
  spans?: Spans | undefined
  /** The operations whose body limits hold here and whose streams end when this process stops. */
  operations?: readonly Operation[]
}

/** Calls a service of another process with the same request and a signed header that says who the end client is. */
export function remoteNeighbour(baseUrl: string, deps: RemoteDeps): ServiceFetch {
  const { send, openStreams } = deps
  const find = deps.operations ? operationFinder(deps.operations) : findOperation
  return async (request, info) => {
    const op = find(request.method, splitUrl(request.url).path)
    const body = boundedForward(request, op?.bodyLimit ?? 0)
    try {
      const response = await send(addressedTo(baseUrl, request, body?.stream ?? null, info, deps))
      const framing = op?.kind === 'stream' ? framingOf(response.headers) : undefined
      const content = framing && response.body ? forwardedStream(response.body, framing, openStreams) : response.body
      return new Response(content, { status: response.status, headers: without(response.headers) })
    } catch (error) {
      throw body?.refusal ?? error
    }
  }
}

/**
 * Limits the body to what its operation accepts before it is forwarded, because an early refusal of the other service
 * can be lost while the body is still being sent.
 */
function boundedForward(
  request: Request,
  limit: number,
): { stream: ReadableStream<Uint8Array>; refusal?: unknown } | undefined {
  if (!request.body) return undefined
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

type FindOperation = (method: string, path: string) => Operation | undefined

function operationFinder(operations: readonly Operation[]): FindOperation {
  const find = createRouter(operations.map((op) => ({ method: op.method, path: op.path, target: op })))
  return (method, path) => find(method === 'HEAD' ? 'GET' : method, path)?.target
}

const findOperation = operationFinder(OPERATIONS)

/** Headers that belong to one connection (RFC 9110 section 7.6.1), and those that only our own processes may set. */
const NOT_PASSED_ON = [...CONNECTION_HEADERS, 'expect', 'host', 'forwarded', 'x-forwarded-for', HOP_HEADER]

function addressedTo(
  baseUrl: string,
  request: Request,
  body: ReadableStream<Uint8Array> | null,
  info: RequestInfo,
  { hops, spans }: Pick<RemoteDeps, 'hops' | 'spans'>,
): Request {
  const from = new URL(request.url)
  const url = new URL(baseUrl.replace(/\/$/, '') + from.pathname + from.search)
  const headers = without(request.headers)
  headers.set(HOP_HEADER, hops.sign(request.method, url.href, info))
  const parent = spans?.header()
  if (parent !== undefined) headers.set('traceparent', parent)
  const { method, signal } = request
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, duplex: 'half' }
  return new Request(url, init)
}

function without(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of NOT_PASSED_ON) copy.delete(name)
  return copy
}
