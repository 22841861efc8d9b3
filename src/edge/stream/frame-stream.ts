import { HEARTBEAT_SECONDS } from '#contract/core/stream.ts'
import type { OpenStreams } from './open-streams.ts'

/** How the values of a source, and the ways it can end, are sent. */
type Frames<Value, Last> = {
  readonly heartbeat: Uint8Array
  ofValue(value: Value): Uint8Array
  /** Called with the value that the source returned at its end. */
  ofEnd(last: Last): Uint8Array | undefined
  ofFault(error: unknown): Uint8Array
  /** Called when the process stops. */
  ofStop(): Uint8Array
}

type Options = {
  readonly openStreams: OpenStreams
  /** Called when the stream ends, whatever the reason. */
  readonly onEnd: () => void
  /** Aborted when the caller goes away. */
  readonly callerSignal?: AbortSignal
  /** True for a stream that ends before its first value. */
  readonly isStopping?: boolean
}

/**
 * Sends the values of a source as they come, with a heartbeat while the source is silent. The source is asked for a value
 * only when the reader has taken the one before, and its `finally` runs when the stream ends.
 */
export function frameStream<Value, Last>(
  source: AsyncIterator<Value, Last>,
  frames: Frames<Value, Last>,
  options: Options,
): ReadableStream<Uint8Array> {
  const sender = new Sender(source, frames, options)
  return new ReadableStream({
    start: (controller) => sender.start(controller),
    pull: () => sender.sendNext(),
    cancel: () => sender.abandon(),
  })
}

class Sender<Value, Last> {
  readonly #source: AsyncIterator<Value, Last>
  readonly #frames: Frames<Value, Last>
  readonly #options: Options
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #hasEnded = false
  #leave = () => {}

  constructor(source: AsyncIterator<Value, Last>, frames: Frames<Value, Last>, options: Options) {
    this.#source = source
    this.#frames = frames
    this.#options = options
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { openStreams, callerSignal, isStopping } = this.#options
    this.#controller = controller
    if (isStopping) {
      this.#endWith(this.#frames.ofStop())
      return
    }
    const stop = openStreams.add(() => this.#endWith(this.#frames.ofStop()))
    const onGone = () => this.#endWith(undefined)
    callerSignal?.addEventListener('abort', onGone)
    this.#leave = () => {
      stop()
      callerSignal?.removeEventListener('abort', onGone)
    }
    this.#heartbeat = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_SECONDS * 1000)
    this.#heartbeat.unref()
  }

  async sendNext(): Promise<void> {
    try {
      const { done, value } = await this.#source.next()
      if (this.#hasEnded) return
      if (done) this.#endWith(this.#frames.ofEnd(value))
      else this.#send(this.#frames.ofValue(value))
    } catch (error) {
      // An aborted source often throws. Nobody reads this stream any more, so that is no fault.
      if (!this.#hasEnded) this.#endWith(this.#frames.ofFault(error))
    }
  }

  /** Called when the reader goes away. Resolves when the source has ended. */
  async abandon(): Promise<void> {
    this.#hasEnded = true
    clearInterval(this.#heartbeat)
    this.#leave()
    this.#options.onEnd()
    await this.#source.return?.()
  }

  #send(frame: Uint8Array): void {
    this.#controller?.enqueue(frame)
    this.#heartbeat?.refresh()
  }

  /** Skipped while the reader has not taken what is queued, so that a stalled reader does not cost memory. */
  #sendHeartbeat(): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#send(this.#frames.heartbeat)
  }

  #endWith(last: Uint8Array | undefined): void {
    if (this.#hasEnded) return
    if (last) this.#controller?.enqueue(last)
    this.#controller?.close()
    this.#options.openStreams.awaitSource(this.abandon())
  }
}
