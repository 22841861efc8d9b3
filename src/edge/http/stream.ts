import type { StreamOperation } from '#contract/core/operation.ts'
import { type EndReason, HEARTBEAT_SECONDS, RECORD_ID, RESERVED_KEYS, recordIdOf } from '#contract/core/stream.ts'
import type { OpenStreams } from './open-streams.ts'
import { toServiceError } from './problem.ts'

export type Framing = 'sse' | 'ndjson'
export const STREAM_TYPES: Record<Framing, string> = { sse: 'text/event-stream', ndjson: 'application/x-ndjson' }

export function chooseFraming(accept: string | null): Framing {
  return accept?.includes('text/event-stream') ? 'sse' : 'ndjson'
}

type Source = AsyncIterator<unknown>
type Controller = ReadableStreamDefaultController<Uint8Array>

type StreamOptions = {
  op: StreamOperation
  framing: Framing
  requestId: string
  /** Aborted when the caller goes away. */
  callerSignal: AbortSignal
  openStreams: OpenStreams
  onFault: (error: unknown) => void
}

/**
 * Frames the events of a source as they come, each through the schema of the operation, with a heartbeat while the
 * source is silent. The source is asked for an event only when the reader has taken the one before. Its signal is
 * aborted, and its `finally` runs, when the reader goes away, when the process stops, or when the stream fails.
 * After a fault the last record is `{"problem": …}`; when the process stops it is `{"end": {"reason": "shutdown"}}`.
 */
export function streamBody(
  eventsOf: (signal: AbortSignal) => AsyncIterable<unknown>,
  options: StreamOptions,
): ReadableStream<Uint8Array> {
  const ending = new AbortController()
  const source = eventsOf(ending.signal)[Symbol.asyncIterator]()
  const sender = new Sender(source, ending, options)
  return new ReadableStream({
    start: (controller) => sender.start(controller),
    pull: () => sender.sendNext(),
    cancel: () => sender.abandon(),
  })
}

class Sender {
  readonly #source: Source
  readonly #ending: AbortController
  readonly #options: StreamOptions
  #controller: Controller | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #leave = () => {}

  constructor(source: Source, ending: AbortController, options: StreamOptions) {
    this.#source = source
    this.#ending = ending
    this.#options = options
  }

  get #hasEnded(): boolean {
    return this.#ending.signal.aborted
  }

  start(controller: Controller): void {
    const { openStreams, callerSignal, framing } = this.#options
    this.#controller = controller
    if (openStreams.isStopping) {
      this.#endWith(endFrame('shutdown', framing))
      return
    }
    const stop = openStreams.add(() => this.#endWith(endFrame('shutdown', framing)))
    const onGone = () => this.#endWith(undefined)
    callerSignal.addEventListener('abort', onGone)
    this.#leave = () => {
      stop()
      callerSignal.removeEventListener('abort', onGone)
    }
    this.#heartbeat = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_SECONDS * 1000)
    this.#heartbeat.unref()
  }

  async sendNext(): Promise<void> {
    const { op, framing, requestId, onFault } = this.#options
    try {
      const { done, value } = await this.#source.next()
      if (this.#hasEnded) return
      if (done) this.#endWith(framing === 'sse' ? endFrame('done', framing) : undefined)
      else this.#send(eventFrame(op, value, framing))
    } catch (error) {
      // An aborted source often throws. Nobody reads this stream any more, so that is no fault.
      if (this.#hasEnded) return
      onFault(error)
      this.#endWith(recordFrame({ problem: toServiceError(error).toProblem(requestId) }, framing))
    }
  }

  /** Called when the reader goes away. Resolves when the source has ended. */
  async abandon(): Promise<void> {
    await this.#endSource()
  }

  #send(frame: Uint8Array): void {
    this.#controller?.enqueue(frame)
    this.#heartbeat?.refresh()
  }

  /** Skipped while the reader has not taken what is queued, so that a stalled reader does not cost memory. */
  #sendHeartbeat(): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#send(HEARTBEATS[this.#options.framing])
  }

  #endWith(last: Uint8Array | undefined): void {
    if (this.#hasEnded) return
    if (last) this.#controller?.enqueue(last)
    this.#controller?.close()
    this.#options.openStreams.awaitSource(this.#endSource())
  }

  async #endSource(): Promise<void> {
    clearInterval(this.#heartbeat)
    this.#leave()
    this.#ending.abort()
    await this.#source.return?.()
  }
}

const encoder = new TextEncoder()

const HEARTBEATS: Record<Framing, Uint8Array> = {
  sse: encoder.encode(': heartbeat\n\n'),
  ndjson: encoder.encode('\n'),
}

function recordFrame(record: unknown, framing: Framing, idLine = ''): Uint8Array {
  const line = JSON.stringify(record)
  return encoder.encode(framing === 'sse' ? `${idLine}data: ${line}\n\n` : `${line}\n`)
}

/** SSE gets an event type of its own, so that a browser can close its EventSource instead of reconnecting. */
export function endFrame(reason: EndReason, framing: Framing): Uint8Array {
  if (framing === 'ndjson') return recordFrame({ end: { reason } }, framing)
  return encoder.encode(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`)
}

function eventFrame(op: StreamOperation, value: unknown, framing: Framing): Uint8Array {
  const event = op.event.parse(value)
  const reserved = RESERVED_KEYS.find((key) => Object.hasOwn(Object(event), key))
  if (reserved) throw new Error(`an event of ${op.name} has the reserved key "${reserved}"`)
  const id = op.resumable ? recordIdOf(event) : undefined
  if (id !== undefined && !RECORD_ID.test(id)) throw new Error(`an event of ${op.name} has an id that cannot be sent`)
  return recordFrame(event, framing, id === undefined ? '' : `id: ${id}\n`)
}
