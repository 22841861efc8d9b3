import { createMcpHandler, type ServerEvent, type ServerEventBus } from '@modelcontextprotocol/server'
import { ServiceError } from '#contract/core/errors.ts'
import { OPEN_STREAMS } from '#contract/core/limits.ts'
import { MAX_SILENCE_SECONDS } from '#contract/core/stream.ts'
import { isRecord } from '#lib/json.ts'
import type { Clock } from '#lib/time/clock.ts'
import { createPlaces, type RunningRequests } from '../limits/concurrency.ts'
import { atExpiry } from '../stream/at-expiry.ts'
import type { OpenStreams } from '../stream/open-streams.ts'
import { byLibrary } from './by-library.ts'
import type { McpCall } from './mcp-call.ts'
import { Relay } from './relay.ts'
import type { FollowedResource } from './resource.ts'
import type { ResourceTools } from './resource-tools.ts'
import { ProtocolFault } from './tool-answer.ts'
import type { Tools } from './tools.ts'

type Deps = {
  build: Tools['build']
  resource: ResourceTools
  openStreams: OpenStreams
  clock: Clock
  onError: (error: unknown) => void
}

/** A request `subscriptions/listen` that names addresses of resources. */
type ListenMessage = { readonly uris: readonly string[]; readonly withUris: (uris: readonly string[]) => unknown }

/** Streams of a process. Each costs a connection. */
const MAX_SUBSCRIPTIONS = 1_000
const RETRY_SECONDS = 10
// https://www.jsonrpc.org/specification#error_object
const INVALID_PARAMS = -32602

/** Returns undefined for every other message. */
export function readListen(message: unknown): ListenMessage | undefined {
  if (!isRecord(message) || message.method !== 'subscriptions/listen' || !isRecord(message.params)) return undefined
  const { params } = message
  const { notifications } = params
  if (!isRecord(notifications) || !Array.isArray(notifications.resourceSubscriptions)) return undefined
  const uris = notifications.resourceSubscriptions.filter((uri) => typeof uri === 'string')
  if (uris.length !== notifications.resourceSubscriptions.length) return undefined
  const withUris = (resourceSubscriptions: readonly string[]) => ({
    ...message,
    params: { ...params, notifications: { ...notifications, resourceSubscriptions } },
  })
  return { uris, withUris }
}

/**
 * Answers `subscriptions/listen` with the stream of the library, into which the changes of the resource are written.
 * The stream ends when the caller is refused or its token expires, when its reader takes nothing for a minute, and when
 * the process stops.
 */
export function createListen(deps: Deps) {
  const running: RunningRequests = new Map()
  const enter = createPlaces(OPEN_STREAMS, RETRY_SECONDS, running)
  let openCount = 0
  return async ({ uris, withUris }: ListenMessage, call: McpCall): Promise<Response> => {
    const own = uris.filter((uri) => deps.resource.has(uri))
    const message = withUris(own)
    const [uri] = own
    if (uri === undefined)
      return byLibrary(
        createMcpHandler(({ era }) => deps.build(call, era)),
        message,
        call,
      )
    if (own.length > 1) return refuse(message, 'Subscribe to one address of a resource at a time.')
    if (openCount >= MAX_SUBSCRIPTIONS) throw tooMany()
    const leave = enter(call.context.principal)
    openCount += 1
    const ending = new AbortController()
    ending.signal.addEventListener('abort', () => {
      leave()
      openCount -= 1
    })
    let followed: FollowedResource | undefined
    try {
      followed = await deps.resource.follow(uri, call, ending.signal)
      return await serve(deps, { uri, message, call, followed, ending })
    } catch (error) {
      ending.abort()
      await followed?.[Symbol.asyncDispose]()
      if (error instanceof ProtocolFault) return refuse(message, error.message, error.code)
      throw error
    }
  }
}

type Subscription = {
  readonly uri: string
  readonly message: unknown
  readonly call: McpCall
  readonly followed: FollowedResource
  readonly ending: AbortController
}

async function serve({ build, openStreams, clock, onError }: Deps, subscription: Subscription): Promise<Response> {
  const { uri, message, call, followed, ending } = subscription
  const subscribed = Promise.withResolvers<(event: ServerEvent) => void>()
  let isSubscribed = false
  const bus: ServerEventBus = {
    publish: () => {},
    subscribe: (listener) => {
      isSubscribed = true
      subscribed.resolve(listener)
      return () => ending.abort()
    },
  }
  const handler = createMcpHandler(({ era }) => build(call, era), { bus, onerror: onError })
  const response = await byLibrary(handler, message, call)
  if (!isSubscribed || !response.body) {
    ending.abort()
    await followed[Symbol.asyncDispose]()
    return response
  }
  const relay = new Relay(response.body)
  const leave = openStreams.add(() => void handler.close())
  const stopExpiry = atExpiry(call.context.principal?.expires_at, clock, () => void handler.close())
  const run = async () => {
    try {
      await pump(await subscribed.promise, relay, uri, followed)
    } catch (error) {
      if (!ending.signal.aborted && !(error instanceof ServiceError && error.status < 500)) onError(error)
    } finally {
      leave()
      stopExpiry()
      await handler.close()
      await followed[Symbol.asyncDispose]()
    }
  }
  openStreams.awaitSource(run())
  if (openStreams.isStopping) await handler.close()
  return new Response(relay.body, response)
}

async function pump(
  write: (event: ServerEvent) => void,
  relay: Relay,
  uri: string,
  { updates }: FollowedResource,
): Promise<void> {
  for await (const _meta of updates) {
    relay.writes()
    write({ kind: 'resource_updated', uri, params: { uri, _meta } })
    if (!(await relay.taken(MAX_SILENCE_SECONDS * 1000))) return
  }
}

function tooMany(): ServiceError {
  const text = `Limit reached: ${MAX_SUBSCRIPTIONS} subscriptions at once in this process. Try again in ${RETRY_SECONDS} seconds.`
  return new ServiceError('UNAVAILABLE', text, { retryAfterSeconds: RETRY_SECONDS })
}

function refuse(message: unknown, text: string, code = INVALID_PARAMS): Response {
  const id = isRecord(message) ? message.id : null
  return Response.json({ jsonrpc: '2.0', id, error: { code, message: text } })
}
