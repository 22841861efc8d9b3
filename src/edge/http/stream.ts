import type { StreamOperation } from '#contract/core/operation.ts'
import { toServiceError } from './problem.ts'

type Framing = 'sse' | 'ndjson'
export const STREAM_TYPES: Record<Framing, string> = { sse: 'text/event-stream', ndjson: 'application/x-ndjson' }

export function chooseFraming(accept: string | null): Framing {
  return accept?.includes('text/event-stream') ? 'sse' : 'ndjson'
}

/** Events as they come, each through the schema. A fault after the first byte is the last line: `{"problem": …}`. */
export function streamBody(
  op: StreamOperation,
  events: AsyncIterable<unknown>,
  framing: Framing,
  requestId: string,
  onFault: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  let cancelled = false
  const frame = (value: unknown) => {
    const line = JSON.stringify(value)
    return encoder.encode(framing === 'sse' ? `data: ${line}\n\n` : `${line}\n`)
  }
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next()
        if (cancelled) return
        if (done) controller.close()
        else controller.enqueue(frame(op.event.parse(value)))
      } catch (error) {
        // Nobody listens any more: what an aborted source says is no fault.
        if (cancelled) return
        onFault(error)
        controller.enqueue(frame({ problem: toServiceError(error).toProblem(requestId) }))
        controller.close()
        // After an event that does not fit, its source still runs.
        await iterator.return?.()
      }
    },
    async cancel() {
      cancelled = true
      await iterator.return?.()
    },
  })
}
