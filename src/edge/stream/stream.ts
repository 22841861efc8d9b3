import type { StreamOperation } from '#contract/core/operation.ts'
import { type EndReason, RECORD_ID, RESERVED_KEYS, recordIdOf } from '#contract/core/stream.ts'
import { toServiceError } from '../format/problem.ts'
import { frameStream } from './frame-stream.ts'
import type { OpenStreams } from './open-streams.ts'

export type Framing = 'sse' | 'ndjson'
export const STREAM_TYPES: Record<Framing, string> = { sse: 'text/event-stream', ndjson: 'application/x-ndjson' }

export function chooseFraming(accept: string | null): Framing {
  return accept?.includes('text/event-stream') ? 'sse' : 'ndjson'
}

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
 * Sends the events of a source, each through the schema of the operation. Its signal is aborted, and its `finally` runs,
 * when the reader goes away, when the process stops, or when the stream fails.
 * After a fault the last record is `{"problem": …}`; when the process stops it is `{"end": {"reason": "shutdown"}}`.
 */
export function streamBody(
  eventsOf: (signal: AbortSignal) => AsyncIterable<unknown>,
  options: StreamOptions,
): ReadableStream<Uint8Array> {
  const { op, framing, requestId, callerSignal, openStreams, onFault } = options
  const ending = new AbortController()
  const source = eventsOf(ending.signal)[Symbol.asyncIterator]()
  const frames = {
    heartbeat: HEARTBEATS[framing],
    ofValue: (value: unknown) => eventFrame(op, value, framing),
    ofEnd: () => (framing === 'sse' ? endFrame('done', framing) : undefined),
    ofFault: (error: unknown) => {
      onFault(error)
      return recordFrame({ problem: toServiceError(error).toProblem(requestId) }, framing)
    },
    ofStop: () => endFrame('shutdown', framing),
  }
  const { isStopping } = openStreams
  return frameStream(source, frames, { openStreams, callerSignal, isStopping, onEnd: () => ending.abort() })
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
