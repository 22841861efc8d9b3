import { randomUUID } from 'node:crypto'
import { createChatCompletion } from '#contract/chat-completions.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { OpenStreams } from '#edge/stream/open-streams.ts'
import { endsWithin } from '#lib/async/race.ts'
import type { Log } from '#lib/log/log.ts'
import type { Clock } from '#lib/time/clock.ts'
import { ChatModelError, type ChatRequest, servedTokens } from '#ports/chat-model.ts'
import type { Meter, SettleUsage } from '../usage/usage.ts'
import type { ChatModels, StreamingChatModel } from './chat-models.ts'
import { type CompletionHead, toChatRequest, toCompletion } from './completion.ts'
import { completionStream } from './completion-stream.ts'
import { type ChatEvent, collectAnswer } from './events.ts'

type Deps = { models: ChatModels; meter: Meter; clock: Clock; log: Log; openStreams: OpenStreams }

/**
 * How long a streamed answer waits for the provider before its status is sent. A refusal within this time gets a status
 * of its own; after it heartbeats must flow, because proxies cut connections on which nothing moves.
 */
const STATUS_WAIT_MS = 15_000

export function chatCompletionsRoute(deps: Deps): Route {
  const { models, meter, clock } = deps
  return route(createChatCompletion, async (input, { principal, signal, requestId }) => {
    const model = getModel(models, input.model)
    const request = toChatRequest(input)
    const most = model.mostTokens(request)
    const settle = await meter.reserve(principal.org_id, most)
    const created = Math.floor(clock.now().getTime() / 1000)
    const head = { id: `chatcmpl-${randomUUID()}`, created, model: input.model }
    const call: Call = { model, request, head, signal, meter: { most, settle }, requestId }
    if (!input.stream) return answerAtOnce(call)
    return answerAsStream(call, { ...deps, includeUsage: input.stream_options?.include_usage ?? false })
  })
}

type Call = {
  model: StreamingChatModel
  request: ChatRequest
  head: CompletionHead
  signal: AbortSignal
  meter: Reserved
  requestId: string
}
type Reserved = { most: number; settle: SettleUsage }

async function answerAtOnce({ model, request, head, signal, meter }: Call): Promise<Response> {
  const answer = await collectAnswer(metered(model.stream(request, signal), meter))
  return Response.json(toCompletion(head, answer), { headers: HEADERS })
}

async function answerAsStream(
  { model, request, head, signal, meter, requestId }: Call,
  { openStreams, log, includeUsage }: Pick<Deps, 'openStreams' | 'log'> & { includeUsage: boolean },
): Promise<Response> {
  const ending = new AbortController()
  const opened = Promise.withResolvers<void>()
  const events = metered(model.stream(request, AbortSignal.any([signal, ending.signal]), opened.resolve), meter)
  const first = events.next()
  // Also a refusal ends the wait.
  first.then(() => opened.resolve(), opened.reject)
  await endsWithin(STATUS_WAIT_MS, opened.promise)
  const onFault = (error: ServiceError) =>
    log.warn({ error: error.cause ?? error, request_id: requestId }, 'a streamed chat completion ended with a fault')
  const body = completionStream(
    { first, rest: events },
    { head, includeUsage, abort: () => ending.abort(), openStreams, onFault },
  )
  return new Response(body, {
    headers: { ...HEADERS, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  })
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/**
 * Counts what the call used when it ends. One that was cut off, also by its caller, costs all that was reserved, because
 * the provider did work that it did not report.
 */
async function* metered(events: AsyncGenerator<ChatEvent>, { most, settle }: Reserved): AsyncGenerator<ChatEvent> {
  let tokens = most
  try {
    for await (const event of events) {
      if (event.type === 'end') tokens = servedTokens(event, most)
      yield event
    }
  } catch (error) {
    if (error instanceof ChatModelError && !error.mayHaveCost) tokens = 0
    throw error
  } finally {
    if (tokens !== most) await settle(tokens)
  }
}

function getModel(models: ChatModels, name: string): StreamingChatModel {
  const model = models.find(name)
  if (model) return model
  const names = [
    ...models.list().map((listed) => listed.name),
    ...models.openProviders.map((provider) => `${provider}/<any of its models>`),
  ]
  const detail =
    names.length === 0
      ? 'No chat model is configured. The operator adds providers with SVC_AI_PROVIDERS.'
      : `There is no chat model of that name. There are ${names.join(', ')}.`
  throw new ServiceError('NOT_FOUND', detail)
}
