import type { z } from 'zod'
import { type CallOptions, type Sender, signalOf, unreadableAnswer } from './client-send.ts'
import { fromProblem, ServiceError } from './errors.ts'
import type { StreamOperation } from './operation.ts'
import { isEndRecord, isProblemRecord, MAX_SILENCE_SECONDS, recordIdOf } from './stream.ts'

/** Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as it is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

type Reading<T> = {
  /** Opens the stream after the record with this id, or at its start. */
  connect: (lastId: string | undefined) => Promise<Response>
  /** The id the first connection starts after. */
  lastId: string | undefined
  /** False where a repeated request could do its work twice. */
  canReconnect: boolean
  wait: Wait
  signal: AbortSignal | undefined
  readEvent: (record: unknown) => T
}

/** Reconnections without anything received in between. With the delays below they span about a minute. */
const MAX_RECONNECTS = 8
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 15_000

type ReadLimits = Pick<Reading<unknown>, 'wait' | 'signal'>

const HEARTBEAT = Symbol('heartbeat')
const TRANSIENT: ReadonlySet<string> = new Set(['UNAVAILABLE', 'TIMEOUT', 'RATE_LIMITED'])

export type Stream = <I extends z.ZodObject, E extends z.ZodType>(
  op: StreamOperation<I, E>,
  input: z.input<I>,
  options?: CallOptions,
) => AsyncGenerator<z.output<E>>

/** `wait` waits between reconnections and for heartbeats; tests hand in one that they control. */
export function streamWith({ send, read }: Sender, wait: Wait = waitInRealTime): Stream {
  return (op, input, options = {}) => {
    const given = input as { last_id?: string }
    return readStream({
      connect: (lastId) =>
        send(op, lastId === undefined ? input : { ...input, last_id: lastId }, 'application/x-ndjson', options),
      lastId: op.resumable && given.last_id,
      canReconnect: op.resumable === true && (op.effect === 'read' || options.idempotencyKey !== undefined),
      wait,
      signal: signalOf(options),
      readEvent: (record) => read(op.event, record),
    })
  }
}

export const waitInRealTime: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

/**
 * Yields the events of a stream. A stream that breaks is continued after the last id that was seen, where that is
 * possible; otherwise the fault is thrown. A first connection that fails is never repeated.
 */
async function* readStream<T>({
  connect,
  canReconnect,
  wait,
  signal,
  readEvent,
  ...start
}: Reading<T>): AsyncGenerator<T> {
  let { lastId } = start
  let hasConnected = false
  let failures = 0
  for (;;) {
    try {
      const response = await connect(lastId)
      hasConnected = true
      for await (const record of recordsOf(response, { wait, signal })) {
        failures = 0
        if (record === HEARTBEAT) continue
        const event = readEvent(record)
        lastId = recordIdOf(event) ?? lastId
        yield event
      }
      // A neighbour in this process ends a stream whose caller has gone, which is not its complete end.
      signal?.throwIfAborted()
      return
    } catch (error) {
      if (!canReconnect || !hasConnected || signal?.aborted || !isTransient(error)) throw error
      failures += 1
      if (failures > MAX_RECONNECTS) throw error
      await wait(delayOf(error, failures), signal ?? new AbortController().signal)
    }
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof ServiceError ? TRANSIENT.has(error.code) : error instanceof TypeError
}

/** Doubles with each failure. The random half keeps the clients of a stopped server from coming back all at once. */
function delayOf(error: unknown, failures: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS)
  const asked = error instanceof ServiceError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
  return Math.max(delay * (0.5 + Math.random() / 2), asked)
}

async function* recordsOf(response: Response, limits: ReadLimits): AsyncGenerator {
  for await (const line of linesOf(response, limits)) {
    if (line === '') {
      yield HEARTBEAT
      continue
    }
    const record = parseLine(line)
    if (isProblemRecord(record)) throw fromProblem(record.problem, record.problem.status)
    if (isEndRecord(record)) {
      if (record.end.reason === 'done') return
      throw new ServiceError('UNAVAILABLE', 'The server is restarting and ended the stream. Try again.')
    }
    yield record
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw unreadableAnswer(cause)
  }
}

async function* linesOf(response: Response, limits: ReadLimits): AsyncGenerator<string> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await readInTime(reader, limits)
      if (done) break
      const lines = (rest + value).split('\n')
      rest = lines.pop()!
      yield* lines
    }
    if (rest !== '') yield rest
  } finally {
    // Frees the connection when the caller stops reading. A connection that broke cannot be freed, and need not be.
    await reader.cancel().catch(() => {})
  }
}

/**
 * Every stream sends a heartbeat when it has nothing else to send, so a silent connection is a dead one. Listens to the
 * signal itself, because Node forgets that of a request once the request object has been garbage-collected.
 */
async function readInTime(reader: ReadableStreamDefaultReader<string>, { wait, signal }: ReadLimits) {
  signal?.throwIfAborted()
  const answered = new AbortController()
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(signal!.reason)
  signal?.addEventListener('abort', stop, { once: true })
  const silence = wait(MAX_SILENCE_SECONDS * 1000, answered.signal).then(() => {
    throw new ServiceError('UNAVAILABLE', `The stream sent nothing for ${MAX_SILENCE_SECONDS} seconds. Try again.`)
  })
  try {
    return await Promise.race([reader.read(), silence, aborted.promise])
  } finally {
    signal?.removeEventListener('abort', stop)
    answered.abort()
  }
}
