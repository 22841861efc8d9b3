import type { OpenStreams } from './open-streams.ts'
import { endFrame, type Framing, STREAM_TYPES } from './stream.ts'

const NEW_LINE = 0x0a

/** Returns how the records of an answer are framed, or undefined if it is no stream of records. */
export function framingOf(headers: Headers): Framing | undefined {
  const type = headers.get('content-type')
  return (Object.keys(STREAM_TYPES) as Framing[]).find((framing) => type?.startsWith(STREAM_TYPES[framing]))
}

/**
 * Passes on the stream of another process. When this process stops, the stream ends with a last record of ours as soon
 * as the record under way is complete, and the other process is told that nobody reads any more.
 */
export function forwardedStream(
  body: ReadableStream<Uint8Array>,
  framing: Framing,
  openStreams: OpenStreams,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const tail = new Tail(framing)
  let hasEnded = false
  let leave = () => {}
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (hasEnded || !tail.isBetweenRecords) return
    hasEnded = true
    leave()
    controller.enqueue(endFrame('shutdown', framing))
    controller.close()
    openStreams.awaitSource(reader.cancel())
  }
  return new ReadableStream(
    {
      start(controller) {
        leave = openStreams.add(() => end(controller))
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (hasEnded) return
          if (!done) {
            tail.note(value)
            controller.enqueue(value)
            if (openStreams.isStopping) end(controller)
            return
          }
          leave()
          controller.close()
        } catch (error) {
          leave()
          if (!hasEnded) throw error
        }
      },
      cancel: (reason) => {
        leave()
        return reader.cancel(reason)
      },
    },
    // `fetch` reads ahead already.
    { highWaterMark: 0 },
  )
}

/** Knows from the last two bytes whether a record is under way: NDJSON records end with a line, SSE with an empty one. */
class Tail {
  readonly #framing: Framing
  #last = NEW_LINE
  #lastButOne = NEW_LINE

  constructor(framing: Framing) {
    this.#framing = framing
  }

  note(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return
    this.#lastButOne = chunk.at(-2) ?? this.#last
    this.#last = chunk.at(-1)!
  }

  get isBetweenRecords(): boolean {
    return this.#last === NEW_LINE && (this.#framing === 'ndjson' || this.#lastButOne === NEW_LINE)
  }
}
