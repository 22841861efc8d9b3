import { ServiceError } from '#contract/core/errors.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import type { Log } from '#lib/log/log.ts'
import type { Clock } from '#lib/time/clock.ts'
import { createOutputParser } from '../fast/exact-output.ts'
import { encode, type Format } from '../format/negotiate.ts'
import { toServiceError } from '../format/problem.ts'
import { withIdempotency } from '../idempotency/idempotency.ts'
import { boundedBody, boundedRequest, refuseLargeBody } from '../input/read-input.ts'
import type { Enter } from '../limits/concurrency.ts'
import { type Context, RequestContext, type Route, type RouteOf } from '../route/route.ts'
import { atExpiry } from '../stream/at-expiry.ts'
import type { OpenStreams } from '../stream/open-streams.ts'
import { recheckedEvents } from '../stream/rechecked-events.ts'
import { chooseFraming, STREAM_TYPES, streamBody } from '../stream/stream.ts'

type Deps = {
  db: Db
  sealer: Sealer
  clock: Clock
  log: Log
  openStreams: OpenStreams
  /** Limits the requests of the operation that run at once. */
  enter: Enter | undefined
}
/** Checks again whether the caller may use the operation. Throws the refusal. */
type Recheck = () => Promise<unknown>
type Answer = (input: unknown, context: Context, format: Format, recheck: Recheck) => Promise<Response>

/** Creates the function that turns parsed input into a response. Every output passes the schema of its operation. */
export function createAnswer(route: Route, deps: Deps): Answer {
  // A stream leaves its place when it ends, not when its answer begins.
  if (route.op.kind === 'stream') return streamAnswer(route as RouteOf<'stream'>, deps)
  return whileRunning(deps.enter, answerAtOnce(route as Exclude<Route, RouteOf<'stream'>>, deps))
}

function whileRunning(enter: Enter | undefined, answer: Answer): Answer {
  if (!enter) return answer
  return async (input, context, format, recheck) => {
    const leave = enter(context.principal)
    try {
      return await answer(input, context, format, recheck)
    } finally {
      leave()
    }
  }
}

function answerAtOnce(route: Exclude<Route, RouteOf<'stream'>>, deps: Deps): Answer {
  switch (route.op.kind) {
    case 'json':
      return jsonAnswer(route as RouteOf<'json'>, deps)
    case 'upload':
      return uploadAnswer(route as RouteOf<'upload'>)
    case 'raw':
      return rawAnswer(route as RouteOf<'raw'>)
    default:
      throw route.op satisfies never
  }
}

function jsonAnswer({ op, answer }: RouteOf<'json'>, deps: Deps): Answer {
  const parse = createOutputParser(op.output)
  const run = async (input: unknown, context: Context) => parse(await answer(input, context))
  const handle = op.idempotent ? withIdempotency(op, run, deps) : run
  const status = op.status ?? 200
  return async (input, context, format) => respond(await handle(input, context), status, format, context.requestId)
}

function uploadAnswer({ op, answer }: RouteOf<'upload'>): Answer {
  return async (input, context, format) => {
    refuseMediaType(context.request, op.consumes)
    refuseLargeBody(context.request, op.bodyLimit)
    const body = context.request.body ?? new Blob([]).stream()
    const output = op.output.parse(await answer(input, context, boundedBody(body, op.bodyLimit)))
    return respond(output, 200, format, context.requestId)
  }
}

function streamAnswer({ op, answer }: RouteOf<'stream'>, { clock, log, openStreams, enter }: Deps): Answer {
  return async (input, context, _, recheck) => {
    const { principal, request, requestId, format } = context
    const framing = chooseFraming(request.headers.get('accept'))
    const onFault = (error: unknown) => {
      const fields = { error, operation: op.name, request_id: requestId }
      if (toServiceError(error).status < 500) log.info(fields, 'a stream ended with a refusal')
      else log.error(fields, 'a stream ended with a fault')
    }
    const leave = enter?.(principal)
    const body = streamBody(
      (signal) => {
        if (leave) signal.addEventListener('abort', leave, { once: true })
        const events = answer(input, new RequestContext(context, principal, request, format, signal))
        if (!op.rechecked) return events
        return recheckedEvents(events, { recheck, atExpiry: (act) => atExpiry(principal?.expires_at, clock, act) })
      },
      { op, framing, requestId, callerSignal: request.signal, openStreams, onFault },
    )
    return new Response(body, {
      headers: {
        ...commonHeaders(requestId),
        'content-type': STREAM_TYPES[framing],
        'x-accel-buffering': 'no',
      },
    })
  }
}

function rawAnswer({ op, answer }: RouteOf<'raw'>): Answer {
  return async (input, context) => {
    if (op.consumes) refuseMediaType(context.request, op.consumes)
    const request = op.jsonInput ? context.request : boundedRequest(context.request, op.bodyLimit)
    const response = await answer(input, new RequestContext(context, context.principal, request, context.format))
    return withRequestId(response, context.requestId)
  }
}

/** Sets the header in place where possible, because a copy turns a complete body into a stream without a length. */
function withRequestId(response: Response, requestId: string): Response {
  try {
    response.headers.set('x-request-id', requestId)
    return response
  } catch {
    const headers = new Headers(response.headers)
    headers.set('x-request-id', requestId)
    return new Response(response.body, { status: response.status, headers })
  }
}

function refuseMediaType(request: Request, consumes: readonly string[]): void {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';')
  if (consumes.includes(type.trim().toLowerCase())) return
  throw new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Unsupported content type. Send the body as ${consumes.join(' or ')}.`,
  )
}

function respond(value: unknown, status: NonNullable<JsonOperation['status']>, format: Format, requestId: string) {
  const { body, type } = encode(value, format)
  return new Response(body, { status, headers: { 'content-type': type, ...commonHeaders(requestId) } })
}

function commonHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
}
