import { ServiceError } from '#contract/core/errors.ts'
import { openAiError, toServiceError } from '#edge/format/problem.ts'
import { frameStream } from '#edge/stream/frame-stream.ts'
import type { OpenStreams } from '#edge/stream/open-streams.ts'
import { type CompletionHead, toChunks } from './completion.ts'
import type { ChatEvent } from './events.ts'

type Options = {
  head: CompletionHead
  includeUsage: boolean
  /** Aborts the call at the provider. */
  abort: () => void
  openStreams: OpenStreams
  onFault: (error: ServiceError) => void
}

/** The result of a `next()` that was called already, and the events after it. */
type Source = { first: Promise<IteratorResult<ChatEvent>>; rest: AsyncGenerator<ChatEvent> }

/**
 * Sends an answer as server-sent events in the shape of OpenAI, with comments as heartbeats while the model is silent.
 * A failure is the last event, `{"error": …}`, which OpenAI clients throw. The usage is counted before the last event.
 */
export function completionStream({ first, rest }: Source, options: Options): ReadableStream<Uint8Array> {
  const { abort, openStreams, onFault } = options
  // It can fail before the reader asks for it, or after the reader left.
  first.catch(() => {})
  const ofFault = (error: unknown) => {
    const fault = toServiceError(error)
    onFault(fault)
    return frames([JSON.stringify({ error: openAiError(fault) })])
  }
  const asItIs = (frame: Uint8Array) => frame
  return frameStream(
    chunksOf({ first, rest }, options),
    { heartbeat: HEARTBEAT, ofValue: asItIs, ofEnd: asItIs, ofFault, ofStop: () => ofFault(stopping()) },
    { openStreams, onEnd: abort },
  )
}

/** Returns the last frame when the source has ended, so that the usage is counted before. */
async function* chunksOf(
  { first, rest }: Source,
  { head, includeUsage }: Options,
): AsyncGenerator<Uint8Array, Uint8Array> {
  let isFirst = true
  try {
    for (let next = await first; !next.done; next = await rest.next()) {
      const chunks = toChunks(head, next.value, { isFirst, includeUsage }).map((chunk) => JSON.stringify(chunk))
      if (next.value.type === 'end') return frames([...chunks, '[DONE]'])
      yield frames(chunks)
      isFirst = false
    }
    throw new Error('the events of an answer have no end')
  } finally {
    await rest.return(undefined)
  }
}

const encoder = new TextEncoder()
const HEARTBEAT = encoder.encode(': heartbeat\n\n')

function frames(data: readonly string[]): Uint8Array {
  return encoder.encode(data.map((line) => `data: ${line}\n\n`).join(''))
}

function stopping(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The server is stopping. Try again.', { retryAfterSeconds: 1 })
}
