// Imported, because each use of the global `performance` is a slower lookup.
import { performance } from 'node:perf_hooks'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { type Operation, pathShape } from '#contract/core/operation.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import type { KeyValueStore } from '#lib/kv/kv.ts'
import type { Log } from '#lib/log/log.ts'
import type { Metrics } from '#lib/metrics/metrics.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { Spans } from '#lib/tracing/spans.ts'
import { createGate, type GateDeps } from '../credentials/access.ts'
import type { ResolveCaller } from '../credentials/caller.ts'
import { chooseFormat, type Format } from '../format/negotiate.ts'
import { problemResponse, toServiceError } from '../format/problem.ts'
import type { RefusalShapeOf } from '../format/refusal-shape.ts'
import { createInputReader, type InputReader } from '../input/read-input.ts'
import { createConcurrencyLimit, type RunningRequests } from '../limits/concurrency.ts'
import { type AnswerLimiter, createAnswerLimiter, createLimiter, type Limiter } from '../limits/rate-limit.ts'
import { isForPeople, problemPage } from '../pages/problem-page.ts'
import { RequestContext, type RequestInfo, type Route, type ServiceFetch } from '../route/route.ts'
import { createRouter, splitUrl } from '../route/router.ts'
import { withSpan } from '../route/with-span.ts'
import { OpenStreams } from '../stream/open-streams.ts'
import { createAnswer } from './answer.ts'
import { withDeprecation } from './deprecated.ts'
import { withoutContent } from './head.ts'

export type EdgeDeps = GateDeps & {
  /** Resolves the caller of a stream that is checked again, without a cache. Without it `resolve` does. */
  resolveAgain?: ResolveCaller
  service: string
  db: Db
  kv: KeyValueStore
  sealer: Sealer
  clock: Clock
  log: Log
  metrics: Metrics
  /** Absent while tracing is switched off. */
  spans?: Spans
  /** The streams of the process, which a stop ends. Without it a stop does not end them. */
  openStreams?: OpenStreams
  /** Returns the service that owns a path for which this service has no route. Only the api-gateway has it. */
  forward?: (path: string) => ServiceFetch | undefined
  /** Shape of a refusal in place of a service that does not answer. */
  refusalShapeOf?: RefusalShapeOf
  /** Returns the page for a browser at a path without a route, or undefined if there is none. Asked before `forward`. */
  pageFor?: (request: Request, path: string) => Promise<Response | undefined>
}

/** The status under which an answer is counted whose caller closed the connection. It is never sent. */
const CLIENT_CLOSED_STATUS = 499

/** Turns routes into the `fetch` of a service. Only the operations in `routes` are mounted. */
export function createEdge(routes: readonly Route[], deps: EdgeDeps): ServiceFetch {
  const running: RunningRequests = new Map()
  const handlerOf = (route: Route) =>
    withSpan(
      `${deps.service} ${route.op.name}`,
      withDeprecation(route.op, createHandler(route, deps, running)),
      deps.spans,
    )
  const find = createRouter(routes.map((route) => ({ ...route.op, target: handlerOf(route) })))
  const elsewhere = createElsewhere(routes, deps)
  return (request, info) => {
    const { path, query } = splitUrl(request.url)
    const found = find(request.method === 'HEAD' ? 'GET' : request.method, path)
    if (!found) return elsewhere(request, info, path)
    const answered = found.target(request, found.params, query, info)
    return request.method === 'HEAD' ? answered.then(withoutContent) : answered
  }
}

/** Answers requests without a route: forwards those of other services, and refuses the rest with 405 or 404. */
function createElsewhere(routes: readonly Route[], deps: EdgeDeps) {
  const allowed = methodsByPath(routes)
  const seenElsewhere = createRecorder('none', deps)
  const seenForwarded = createRecorder('forwarded', deps)
  const seenPage = createRecorder('page', deps)
  const show = (page: Response, request: Request, info: RequestInfo) => {
    seenPage(page.status, performance.now(), info)
    page.headers.set('x-request-id', info.requestId)
    return request.method === 'HEAD' ? withoutContent(page) : page
  }
  const pass = async (neighbour: ServiceFetch, request: Request, info: RequestInfo) => {
    const started = performance.now()
    const response = await neighbour(request, info)
    seenForwarded(response.status, started, info)
    return response
  }
  return async (request: Request, info: RequestInfo, path: string): Promise<Response> => {
    try {
      const page = await deps.pageFor?.(request, path)
      if (page) return await show(page, request, info)
      const neighbour = deps.forward?.(path)
      if (neighbour) return await pass(neighbour, request, info)
    } catch (error) {
      return refuseForwarded(error, request, info, deps.log, deps.refusalShapeOf?.(path))
    }
    seenElsewhere(404, performance.now(), info)
    const allow = allowed.find(({ shape }) => shape.test(path))?.allow
    if (allow) return refuse(request, info, methodNotAllowed(request.method, allow), { allow })
    return refuse(request, info, notFound())
  }
}

function refuseForwarded(
  error: unknown,
  request: Request,
  info: RequestInfo,
  log: Log,
  shape: Operation['refusals'],
): Response {
  const refusal = toServiceError(error)
  const fields = { error, request_id: info.requestId }
  // A caller that closed the connection is not an error of the server.
  if (request.signal.aborted) log.info(fields, 'the caller went away')
  else if (refusal.status >= 500) log.error(fields, 'not answered by a route')
  return refuse(request, info, refusal, {}, shape)
}

/** Handles a request in this order: caller, access, rate limit, input, answer, limit of failures. */
function createHandler(route: Route, deps: EdgeDeps, running: RunningRequests) {
  const { op } = route
  const gate = createGate(op, deps)
  const gateAgain = createGate(op, { ...deps, resolve: deps.resolveAgain ?? deps.resolve })
  const readInput = withRefusals(route, withLimit(createInputReader(op), createLimiter(op, deps)))
  const answer = createAnswer(route, {
    openStreams: new OpenStreams(),
    enter: createConcurrencyLimit(op, running),
    ...deps,
  })
  const respond = withAnswerLimit(createAnswerLimiter(op, deps), async (admitted) => {
    const input = await readInput(admitted)
    const { context, params } = admitted
    return await answer(input, context, context.format, () => gateAgain(context.request, context, params))
  })
  const seen = createRecorder(op.name, deps)
  const fallback = defaultFormat(op)

  return async (request: Request, params: Record<string, string>, query: string, info: RequestInfo) => {
    const started = performance.now()
    const accept = request.headers.get('accept')
    const format = chooseFormat(accept, fallback)
    try {
      const principal = await gate(request, info, params)
      const context = new RequestContext(info, principal, request, format)
      const response = await respond({ context, params, query, startedMs: started })
      seen(response.status, started, info)
      return response
    } catch (error) {
      const refusal = toServiceError(error)
      // A caller that closed the connection gets no answer and is not an error of the server.
      if (request.signal.aborted) seen(CLIENT_CLOSED_STATUS, started, info)
      else seen(refusal.status, started, info, refusal)
      if (isForPeople(op, accept)) return problemPage(refusal, info.requestId)
      return problemResponse(refusal, format, info.requestId, {}, op.refusals)
    }
  }
}

type Admitted = { context: RequestContext; params: Record<string, string>; query: string; startedMs: number }

type ReadAdmitted = (admitted: Admitted) => Promise<unknown>

function withLimit(readInput: InputReader, limit: Limiter | undefined): ReadAdmitted {
  const read: ReadAdmitted = ({ context, params, query }) => readInput(context.request, params, query)
  if (!limit) return read
  return async (admitted) => {
    await limit(admitted.context, admitted.context.principal)
    return await read(admitted)
  }
}

/** Reads the input. Calls the route's `onRefused` with a refusal by the rate limit or by the input rules. */
function withRefusals({ onRefused }: Route, read: ReadAdmitted): ReadAdmitted {
  if (!onRefused) return read
  return async (admitted) => {
    try {
      return await read(admitted)
    } catch (cause) {
      const { context, params, startedMs } = admitted
      const error = toServiceError(cause)
      await onRefused({ error, params, startedMs }, context)
      throw error
    }
  }
}

type Respond = (admitted: Admitted) => Promise<Response>

/** Answers the request, then counts the answer if it is a failure, whether it was thrown or returned. */
function withAnswerLimit(limit: AnswerLimiter | undefined, respond: Respond): Respond {
  if (!limit) return respond
  return async (admitted) => {
    const { context } = admitted
    const response = await respond(admitted).catch(async (cause: unknown) => {
      await limit(toServiceError(cause).status, context, context.principal)
      throw cause
    })
    await limit(response.status, context, context.principal)
    return response
  }
}

function defaultFormat(op: Operation): Format {
  return op.kind === 'json' ? (op.format ?? 'json') : 'json'
}

/** Counts and logs each answer. Errors of the server (5xx) are logged with their cause. */
function createRecorder(operation: string, { service, metrics, log }: EdgeDeps) {
  const timers = new Map<number, (seconds: number) => void>()
  const timerOf = (status: number) => {
    const timer = timers.get(status) ?? metrics.requests.of({ service, operation, status })
    timers.set(status, timer)
    return timer
  }
  return (status: number, started: number, info: RequestInfo, refusal?: ServiceError) => {
    const ms = performance.now() - started
    timerOf(status)(ms / 1000)
    const fields = { request_id: info.requestId, operation, status, duration_ms: Math.round(ms * 10) / 10 }
    if (!refusal || status < 500) log.plain(fields, 'answered')
    else if (isExpected(refusal)) log.warn({ ...fields, reason: refusal.message }, 'answered that it is not available')
    else log.error({ ...fields, error: refusal.cause ?? refusal }, 'answered with a fault')
  }
}

/** Whether the service itself decided to refuse for a while: nothing failed, so that a stack would tell nothing. */
function isExpected({ code, cause }: ServiceError): boolean {
  return code === 'UNAVAILABLE' && cause === undefined
}

function refuse(
  request: Request,
  info: RequestInfo,
  error: ServiceError,
  extra?: Record<string, string>,
  shape?: Operation['refusals'],
): Response {
  return problemResponse(error, chooseFormat(request.headers.get('accept'), 'json'), info.requestId, extra, shape)
}

function methodNotAllowed(method: string, allow: string): ServiceError {
  return new ServiceError('METHOD_NOT_ALLOWED', `${method} is not supported at this path. Supported: ${allow}.`)
}

function methodsByPath(routes: readonly Route[]): { shape: RegExp; allow: string }[] {
  const allow = new Map<string, string>()
  for (const { op } of routes) {
    const methods = op.method === 'GET' ? 'GET, HEAD' : op.method
    const before = allow.get(op.path)
    allow.set(op.path, before ? `${before}, ${methods}` : methods)
  }
  return [...allow].map(([path, methods]) => ({ shape: pathShape(path), allow: methods }))
}
