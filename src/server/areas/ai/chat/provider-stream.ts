import { ServiceError } from '#contract/core/errors.ts'
import { OperatorFetchError } from '#lib/net/operator-fetch.ts'
import { ChatModelError, type ChatRequest } from '#ports/chat-model.ts'
import type { Outgoing, ProviderSettings } from '../providers/provider.ts'
import { type Delay, sendWithRetries, wasSent } from '../providers/send-with-retries.ts'
import type { ChatEvent } from './events.ts'
import { SilenceLimit } from './silence-limit.ts'
import { readSse } from './sse.ts'
import { type AnswerReader, UnreadableAnswer, type Wire } from './wire.ts'

export type CallLimits = { silenceMs: number; wholeMs: number; maxAnswerLength: number }

/** Reasoning models can be silent for minutes. A call ends well before its reservation of the agents' pool does. */
const LIMITS: CallLimits = { silenceMs: 5 * 60_000, wholeMs: 60 * 60_000, maxAnswerLength: 8 * 1024 * 1024 }
const RETRY_AFTER_SECONDS = 10

export type StreamDeps = { outgoing: Outgoing; delay?: Delay; limits?: Partial<CallLimits> }
type Call = { model: string; request: ChatRequest; body: string; signal: AbortSignal }

/**
 * Returns the events of one call. `onOpen` is called when the provider has accepted the request. Every failure but the
 * abort of the caller is a ChatModelError, whose message never contains text of the provider.
 */
type ProviderStream = (call: Call, onOpen?: () => void) => AsyncGenerator<ChatEvent>

export function createProviderStream(
  { name, baseUrl, apiKey }: Pick<ProviderSettings, 'name' | 'baseUrl' | 'apiKey'>,
  wire: Wire,
  { limits, ...deps }: StreamDeps,
): ProviderStream {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...wire.headers(apiKey) }
  const bounds = { ...LIMITS, ...limits }
  return async function* ({ model, request, body, signal: caller }, onOpen = () => {}) {
    using limit = new SilenceLimit(bounds)
    const ended = new AbortController()
    const signal = AbortSignal.any([caller, limit.signal, ended.signal])
    const toRequest = () => new Request(`${baseUrl}${wire.path}`, { method: 'POST', headers, body, signal })
    try {
      const response = await limit.wait(() => sendWithRetries(toRequest, { ...deps, name, model, signal }))
      onOpen()
      const chunks = readChunks(response.body, limit, bounds.maxAnswerLength)
      yield* readAnswer(readSse(chunks), wire.reader(request))
    } catch (error) {
      if (caller.aborted) throw error
      throw toChatError(error, { name, limit, ...bounds })
    } finally {
      // Ends the call at the provider if nobody reads the rest.
      ended.abort()
    }
  }
}

async function* readChunks(
  body: ReadableStream<Uint8Array> | null,
  limit: SilenceLimit,
  maxLength: number,
): AsyncGenerator<Uint8Array> {
  const reader = (body ?? new Blob([]).stream()).getReader()
  let length = 0
  for (;;) {
    const { done, value } = await limit.wait(() => reader.read())
    if (done) return
    length += value.byteLength
    if (length > maxLength) throw new UnreadableAnswer('sent an answer that is too large')
    yield value
  }
}

async function* readAnswer(events: AsyncIterable<string>, reader: AnswerReader): AsyncGenerator<ChatEvent> {
  for await (const data of events) yield* reader.read(data)
  const end = reader.end()
  if (!end) throw new UnreadableAnswer('closed the connection before its answer was complete')
  yield end
}

type Fault = CallLimits & { name: string; limit: SilenceLimit }

function toChatError(error: unknown, { name, limit, silenceMs, wholeMs }: Fault): ChatModelError {
  if (limit.reached) {
    const what =
      limit.reached === 'silence'
        ? `sent nothing for ${silenceMs / 1000} seconds`
        : `did not end its answer in ${wholeMs / 60_000} minutes`
    return new ChatModelError('TIMEOUT', `The AI provider ${name} ${what}.`, { mayHaveCost: true })
  }
  if (error instanceof ServiceError) {
    const { code, message, retryAfterSeconds, cause } = error
    const mayHaveCost = cause instanceof OperatorFetchError && wasSent(cause)
    return new ChatModelError(code, message, {
      mayHaveCost,
      cause,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    })
  }
  const what =
    error instanceof UnreadableAnswer ? error.message : 'closed the connection before its answer was complete'
  return new ChatModelError('UNAVAILABLE', `The AI provider ${name} ${what}.`, {
    mayHaveCost: true,
    cause: error,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
