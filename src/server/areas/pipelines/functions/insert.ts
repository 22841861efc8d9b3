import type { WorkerEvent } from '#contract/workers.ts'
import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { gather } from '#lib/work/gather.ts'
import type { LocalStream, LocalStreams } from '../calls/local-streams.ts'
import { insertCalls, type NewCall } from '../calls/store.ts'
import type { WaitingCalls } from '../calls/waiting.ts'
import type { CallActivity } from './activity.ts'

type Work = Extract<WorkerEvent, { type: 'call' }>
type Deps<Draft extends { id: string }> = {
  readonly db: Db
  readonly activity: CallActivity<Draft>
  readonly streams: LocalStreams
  readonly waiting: Pick<WaitingCalls, 'granted'>
}
export type FunctionCall = NewCall & {
  /** The content of `input` before it was sealed. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** The call is only inserted if a worker gets it at once and its function still has this version. */
  readonly onlyAtVersion?: string | undefined
}
/** Without a draft the call is on record already. */
type Insertion<Draft> = { readonly draft: Draft | undefined; readonly call: FunctionCall | undefined }

/**
 * Writes records and calls. Those that arrive while others are written share the next statement. A call that a worker
 * with a stream in this process serves is given to it in the same statement, which saves the commit of a claim. Returns
 * false for a call that was not inserted.
 */
export function createInsert<Draft extends { id: string }>({ db, activity, streams, waiting }: Deps<Draft>) {
  return gather(async (batch: readonly Insertion<Draft>[]) => {
    const calls = batch.flatMap(({ call }) => call ?? [])
    const drafts = batch.flatMap(({ draft }) => draft ?? [])
    const records = drafts.length > 0 ? activity.insertion(drafts) : undefined
    const notInserted = new Set<FunctionCall | undefined>()
    const chosen = new Map(calls.map((call) => [call, streams.pick(call.appId, call.name)]))
    await inTurn([...chosen.values()], async (held) => {
      const granted = calls.map((call) => ({
        ...call,
        grant: held.has(chosen.get(call)) ? chosen.get(call) : undefined,
      }))
      const fences = new Map((await insertCalls(db, granted, records)).map(({ id, fence }) => [id, fence]))
      for (const [call, stream] of chosen) {
        const fence = fences.get(call.id)
        if (stream && fence !== undefined) {
          waiting.granted(call.id, { workerId: stream.workerId, fence })
          stream.send(toEvent(call, fence))
        } else if (call.onlyAtVersion !== undefined) notInserted.add(call)
      }
    })
    return batch.map(({ call }) => !notInserted.has(call))
  })
}

/** A claim takes about a millisecond. One that waits for its worker's row must not hold up the calls of others. */
const MAX_WAIT_FOR_TURN_MS = 100

type MaybeStream = LocalStream | undefined

/**
 * Runs the insertion with those of the streams to whose workers no other statement gives calls. If its outcome is unknown,
 * a worker may have been given calls that it was not sent, or may still get them, so the streams end and the workers
 * connect again.
 */
async function inTurn(
  streams: readonly MaybeStream[],
  insert: (held: ReadonlySet<MaybeStream>) => Promise<void>,
): Promise<void> {
  using turns = new DisposableStack()
  const held = new Set<LocalStream>()
  const distinct = [...new Set(streams)].filter((stream) => stream !== undefined)
  await Promise.all(
    distinct.map(async (stream) => {
      const turn = await stream.takeTurn(MAX_WAIT_FOR_TURN_MS)
      if (turn) held.add(stream)
      turns.use(turn)
    }),
  )
  try {
    await insert(held)
  } catch (error) {
    if (error instanceof DatabaseUnavailable) for (const { fail } of held) fail(error)
    throw error
  }
}

function toEvent({ id, name, arguments: input, timeoutSeconds }: FunctionCall, fence: number): Work {
  return { type: 'call', call_id: id, fence, kind: 'function', name, input, seconds_left: timeoutSeconds }
}
