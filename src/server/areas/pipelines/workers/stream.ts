// Imported, because each use of the global `performance` is a slower lookup.
import { performance } from 'node:perf_hooks'
import type { WorkerEvent } from '#contract/workers.ts'
import { CannotOpen, type Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { createWake } from '#lib/work/wake.ts'
import { CALLS_CHANNEL, readNotice, STREAMS_CHANNEL, WORKERS_CHANNEL } from '../calls/channels.ts'
import type { CallKindHooks } from '../calls/kinds.ts'
import { createTurns, type LocalStream, type LocalStreams } from '../calls/local-streams.ts'
import { CALL_INPUTS } from '../calls/sealed.ts'
import { type ClaimedCall, claimCalls, findUndelivered, hasQueued } from '../calls/store.ts'
import { type ConnectedWorker, readStream } from './store.ts'

type Work = Extract<WorkerEvent, { type: 'call' }>
type StreamDeps = {
  readonly db: Db
  readonly sealer: Sealer
  readonly pipelines: CallKindHooks
  readonly streams: LocalStreams
}
type Stream = {
  readonly worker: ConnectedWorker
  readonly appId: string
  readonly principalId: string
  readonly functions: ReadonlySet<string>
  readonly concurrency: number
  readonly hasPipelines: boolean
  /** Calls that the worker has already. */
  readonly received: readonly string[]
  readonly signal: AbortSignal
}

/** Covers lost notifications: calls that wait, a worker that was lost or has connected elsewhere. */
const POLL_MS = 15_000
/** While calls wait: nothing announces that a claim of another worker failed. */
const WAITING_POLL_MS = 2_000

/** Yields calls and cancellations for a worker until it goes away, is lost, or has a newer stream. */
export async function* workerEvents(deps: StreamDeps, stream: Stream): AsyncGenerator<WorkerEvent> {
  const { db } = deps
  const { worker, appId, signal } = stream
  const wake = createWake()
  const sent = createSent(wake.ring)
  let mayWait = true
  signal.addEventListener('abort', wake.ring, { once: true })
  await using _calls = await db.listen(CALLS_CHANNEL, (payload) => {
    if (payload !== appId && payload !== '') return
    mayWait = true
    wake.ring()
  })
  await using _workers = await db.listen(WORKERS_CHANNEL, (payload) => {
    const notice = readNotice(payload)
    if (notice && notice.workerId !== worker.id) return
    if (notice?.verb === 'cancel') sent.cancel(notice.callIds)
    wake.ring()
  })
  let checkedMs = performance.now()
  await using _streams = await db.listen(STREAMS_CHANNEL, (workerId) => {
    if (workerId !== worker.id) return
    checkedMs = Number.NEGATIVE_INFINITY
    wake.ring()
  })
  for (const call of await db.tx((tx) => findUndelivered(tx, worker.id, stream.received))) yield toEvent(deps, call)
  const local = toLocal(stream, { wake: wake.ring, send: sent.add, fail: sent.fail })
  // Not before, because a call that is given to this stream would be found as undelivered too.
  using _local = deps.streams.open(local)
  while (!signal.aborted) {
    for (let event = sent.next(); event; event = sent.next()) yield event
    if (performance.now() - checkedMs >= POLL_MS) {
      checkedMs = performance.now()
      const found = await readStream(db, worker)
      if (!found) return
      mayWait ||= found.mayWait
    }
    // Most calls are given to the stream as they are inserted, and then there is nothing to claim when one ends.
    if (mayWait) {
      // Before the claim, because a call may be queued while it looks.
      mayWait = false
      const calls = await claim(deps, stream, local)
      mayWait ||= calls.length > 0 || (await hasQueued(db, appId))
      for (const call of calls) yield toEvent(deps, call)
    }
    // A call that was queued meanwhile has rung, and so has one that ended.
    await wake.next(mayWait ? WAITING_POLL_MS : POLL_MS)
  }
}

/** Events that wait until the worker has taken those before. A call that is canceled before it was sent is not sent. */
function createSent(onChange: () => void) {
  const calls = new Map<string, Work>()
  const canceled: string[] = []
  let fault: { readonly error: unknown } | undefined
  return {
    add: (call: Work): void => {
      calls.set(call.call_id, call)
      onChange()
    },
    cancel: (callIds: readonly string[]): void => {
      canceled.push(...callIds.filter((id) => !calls.delete(id)))
    },
    fail: (error: unknown): void => {
      fault = { error }
      onChange()
    },
    /** Throws the fault that ends the stream. */
    next: (): WorkerEvent | undefined => {
      if (fault) throw fault.error
      const call_id = canceled.shift()
      if (call_id !== undefined) return { type: 'cancel', call_id }
      const [call] = calls.values()
      if (call) calls.delete(call.call_id)
      return call
    },
  }
}

function toLocal(
  { worker, appId, principalId, functions, concurrency }: Stream,
  to: Pick<LocalStream, 'wake' | 'send' | 'fail'>,
): LocalStream {
  const about = { workerId: worker.id, stream: worker.stream, appId, principalId, functions, concurrency }
  return { ...to, ...about, ending: 0, takeTurn: createTurns() }
}

async function claim(deps: StreamDeps, stream: Stream, { takeTurn }: LocalStream): Promise<readonly ClaimedCall[]> {
  using _turn = await takeTurn()
  return claimAll(deps, stream)
}

async function claimAll(
  { db, pipelines }: StreamDeps,
  { worker, appId, hasPipelines }: Stream,
): Promise<readonly ClaimedCall[]> {
  const grant = { workerId: worker.id, stream: worker.stream }
  const calls = await claimCalls(db, 'function', grant)
  if (!hasPipelines || !(await hasQueued(db, appId, ['pipeline']))) return calls
  const runs = await db.tx(async (tx) => {
    const claimed = await claimCalls(tx, 'pipeline', grant)
    if (claimed.length > 0) await pipelines.started?.(tx, claimed)
    return claimed
  })
  return [...calls, ...runs]
}

function toEvent({ sealer }: StreamDeps, { id, kind, name, input, fence, secondsLeft }: ClaimedCall): Work {
  return {
    type: 'call',
    call_id: id,
    fence,
    kind,
    name,
    input: openInput(sealer, id, input),
    seconds_left: secondsLeft,
  }
}

function openInput(sealer: Sealer, id: string, sealed: string): Record<string, unknown> {
  try {
    return JSON.parse(sealer.open(sealed, CALL_INPUTS.context({ id }))) as Record<string, unknown>
  } catch (cause) {
    if (!(cause instanceof CannotOpen)) throw cause
    throw new Error(`the arguments of ${id} cannot be opened`, { cause })
  }
}
