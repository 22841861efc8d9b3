import { Hono } from 'hono'
import { ServiceError } from '#contract/errors.ts'
import { type Operation, pathShape } from '#contract/operation.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import type { KeyValueStore } from '#lib/kv.ts'
import type { Log } from '#lib/log.ts'
import type { Metrics } from '#lib/metrics.ts'
import type { Sealer } from '#lib/seal.ts'
import { createGate, type HasPart } from './access.ts'
import { createAnswer } from './answer.ts'
import type { ResolveCaller } from './caller.ts'
import { chooseFormat, type Format } from './negotiate.ts'
import { problemResponse, toServiceError } from './problem.ts'
import { createLimiter } from './rate-limit.ts'
import { createInputReader } from './read-input.ts'
import { RequestContext, type RequestInfo, type Route, type ServiceFetch } from './route.ts'

export type EdgeDeps = {
  service: string
  resolve: ResolveCaller
  operatorToken: string | undefined
  hasPart?: HasPart
  /** The address people see, where it is known. */
  publicUrl?: string | undefined
  db: Db
  kv: KeyValueStore
  sealer: Sealer
  clock: Clock
  log: Log
  metrics: Metrics
  /** Whose path it is when no route of ours fits: the door forwards to its neighbours. */
  forward?: (path: string) => ServiceFetch | undefined
}

/** Never sent: how an answer nobody waits for is counted. */
const CALLER_GONE = 499

type Bindings = { Bindings: RequestInfo }

/** Turns routes into the `fetch` of a service. Nothing is mounted but what stands in `routes`. */
export function createEdge(routes: readonly Route[], deps: EdgeDeps): ServiceFetch {
  const app = new Hono<Bindings>()
  for (const route of routes) mount(app, route, deps)
  const allowed = methodsByPath(routes)
  const seenElsewhere = createRecorder('none', deps)
  const seenForwarded = createRecorder('forwarded', deps)
  const forwarded = async (pass: () => Promise<Response>, info: RequestInfo) => {
    const started = performance.now()
    const response = await pass()
    seenForwarded(response.status, started, info)
    return response
  }
  app.notFound((c) => {
    const neighbour = deps.forward?.(c.req.path)
    if (neighbour) return forwarded(() => neighbour(c.req.raw, c.env), c.env)
    seenElsewhere(404, performance.now(), c.env)
    const allow = allowed.find(({ shape }) => shape.test(c.req.path))?.allow
    if (allow) return refuse(c.req.raw, c.env, methodNotAllowed(c.req.method, allow), { allow })
    return refuse(c.req.raw, c.env, new ServiceError('NOT_FOUND', 'there is nothing here'))
  })
  app.onError((error, c) => {
    const refusal = toServiceError(error)
    const fields = { error, request_id: c.env.requestId }
    // A caller who hung up is no fault of ours.
    if (c.req.raw.signal.aborted) deps.log.info(fields, 'the caller went away')
    else if (refusal.status >= 500) deps.log.error(fields, 'not answered by a route')
    return refuse(c.req.raw, c.env, refusal)
  })
  return async (request, info) => app.fetch(request, info)
}

function mount(app: Hono<Bindings>, route: Route, deps: EdgeDeps): void {
  const handle = createHandler(route, deps)
  app.on(route.op.method, honoPath(route.op.path), (c) => {
    const { url } = c.req.raw
    const mark = url.indexOf('?')
    return handle(c.req.raw, c.req.param(), mark === -1 ? '' : url.slice(mark + 1), c.env)
  })
}

/** A request in order: who, may they, not too often, what do they ask, answer it. */
function createHandler(route: Route, deps: EdgeDeps) {
  const { op } = route
  const gate = createGate(op, deps)
  const limit = createLimiter(op, deps)
  const readInput = createInputReader(op)
  const answer = createAnswer(route, deps)
  const seen = createRecorder(op.name, deps)

  return async (request: Request, holes: Record<string, string>, query: string, info: RequestInfo) => {
    const started = performance.now()
    const format = chooseFormat(request.headers.get('accept'), defaultFormat(op))
    try {
      const principal = await gate(request, info, holes)
      await limit?.(info, principal)
      const input = await readInput(request, holes, query)
      const response = await answer(input, new RequestContext(info, principal, request, format), format)
      seen(response.status, started, info)
      return response
    } catch (error) {
      const refusal = toServiceError(error)
      // A caller who hung up gets no answer, and is no fault of ours.
      if (request.signal.aborted) seen(CALLER_GONE, started, info)
      else seen(refusal.status, started, info, refusal)
      return problemResponse(refusal, format, info.requestId, {}, op.refusals)
    }
  }
}

function defaultFormat(op: Operation): Format {
  return op.kind === 'json' ? (op.format ?? 'json') : 'json'
}

/** Counts and logs each answer; what we did wrong is logged with its cause, what the caller did wrong is not. */
function createRecorder(operation: string, { service, metrics, log }: EdgeDeps) {
  const timers = new Map<number, { observe(seconds: number): void }>()
  const timerOf = (status: number) => {
    const timer = timers.get(status) ?? metrics.requests.labels({ service, operation, status })
    timers.set(status, timer)
    return timer
  }
  return (status: number, started: number, info: RequestInfo, refusal?: ServiceError) => {
    const ms = performance.now() - started
    timerOf(status).observe(ms / 1000)
    const fields = { request_id: info.requestId, operation, status, duration_ms: Math.round(ms * 10) / 10 }
    if (refusal && status >= 500) log.error({ ...fields, error: refusal.cause ?? refusal }, 'answered with a fault')
    else log.plain(fields, 'answered')
  }
}

function refuse(request: Request, info: RequestInfo, error: ServiceError, extra?: Record<string, string>): Response {
  return problemResponse(error, chooseFormat(request.headers.get('accept'), 'json'), info.requestId, extra)
}

function methodNotAllowed(method: string, allow: string): ServiceError {
  return new ServiceError('METHOD_NOT_ALLOWED', `${method} is not taken here; ${allow} is`)
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

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}
