import { ServiceError } from '#contract/core/errors.ts'
import { HEARTBEAT_SECONDS } from '#contract/core/stream.ts'
import type { OpenStreams } from '#edge/http/open-streams.ts'
import { openAiError, toServiceError } from '#edge/http/problem.ts'
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
export function completionStream(source: Source, options: Options): ReadableStream<Uint8Array> {
  const sender = new Sender(source, options)
  return new ReadableStream({
    start: (controller) => sender.start(controller),
    pull: () => sender.sendNext(),
    cancel: () => sender.abandon(),
  })
}

class Sender {
  readonly #source: AsyncGenerator<ChatEvent>
  readonly #options: Options
  #next: Promise<IteratorResult<ChatEvent>> | undefined
  #isFirst = true
  #hasEnded = false
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #leave = () => {}

  constructor({ first, rest }: Source, options: Options) {
    this.#next = first
    // It can fail before the reader asks for it, or after the reader left.
    first.catch(() => {})
    this.#source = rest
    this.#options = options
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
    this.#leave = this.#options.openStreams.add(() => this.#fail(stopping()))
    this.#heartbeat = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_SECONDS * 1000)
    this.#heartbeat.unref()
  }

  async sendNext(): Promise<void> {
    try {
      const { done, value } = await (this.#next ?? this.#source.next())
      this.#next = undefined
      if (this.#hasEnded) return
      if (done) throw new Error('the events of an answer have no end')
      if (value.type === 'end') await this.#source.return(undefined)
      this.#send(value)
    } catch (error) {
      this.#fail(toServiceError(error))
    }
  }

  /** Called when the reader goes away. Resolves when the call at the provider has ended. */
  async abandon(): Promise<void> {
    this.#end()
    await this.#source.return(undefined)
  }

  #send(event: ChatEvent): void {
    const { head, includeUsage } = this.#options
    const chunks = toChunks(head, event, { isFirst: this.#isFirst, includeUsage })
    this.#isFirst = false
    const isLast = event.type === 'end'
    this.#controller?.enqueue(frames([...chunks.map((chunk) => JSON.stringify(chunk)), ...(isLast ? ['[DONE]'] : [])]))
    this.#heartbeat?.refresh()
    if (isLast) this.#close()
  }

  #fail(error: ServiceError): void {
    if (this.#hasEnded) return
    this.#options.onFault(error)
    this.#controller?.enqueue(frames([JSON.stringify({ error: openAiError(error) })]))
    this.#close()
    this.#options.openStreams.awaitSource(this.#source.return(undefined))
  }

  /** Skipped while the reader has not taken what is queued, so that a stalled reader does not cost memory. */
  #sendHeartbeat(): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(encoder.encode(': heartbeat\n\n'))
  }

  #close(): void {
    this.#end()
    this.#controller?.close()
  }

  #end(): void {
    this.#hasEnded = true
    clearInterval(this.#heartbeat)
    this.#leave()
    this.#options.abort()
  }
}

const encoder = new TextEncoder()

function frames(data: readonly string[]): Uint8Array {
  return encoder.encode(data.map((line) => `data: ${line}\n\n`).join(''))
}

function stopping(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The server is stopping. Try again.', { retryAfterSeconds: 1 })
}
