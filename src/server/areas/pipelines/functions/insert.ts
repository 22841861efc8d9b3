import type { WorkerEvent } from '#contract/workers.ts'
import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { gather } from '#lib/work/gather.ts'
import type { LocalStream, LocalStreams } from '../calls/local-streams.ts'
import { insertCalls, type NewCall } from '../calls/store.ts'
import type { CallActivity } from './activity.ts'

type Work = Extract<WorkerEvent, { type: 'call' }>
type Deps<Draft extends { id: string }> = {
  readonly db: Db
  readonly activity: CallActivity<Draft>
  readonly streams: LocalStreams
}
/** `arguments` is what `input` has sealed. */
type FunctionCall = NewCall & { readonly arguments: Readonly<Record<string, unknown>> }
type Insertion<Draft> = { readonly draft: Draft; readonly call: FunctionCall | undefined }

/**
 * Writes records and calls. Those that arrive while others are written share the next statement. A call that a worker
 * with a stream in this process serves is given to it in the same statement, which saves the commit of a claim.
 */
export function createInsert<Draft extends { id: string }>({ db, activity, streams }: Deps<Draft>) {
  return gather(async (batch: readonly Insertion<Draft>[]) => {
    const calls = batch.flatMap(({ call }) => call ?? [])
    const records = activity.insertion(batch.map(({ draft }) => draft))
    const chosen = new Map(calls.map((call) => [call, streams.pick(call.appId, call.name)]))
    await inTurn([...chosen.values()], async () => {
      const granted = calls.map((call) => ({ ...call, grant: chosen.get(call) }))
      const fences = new Map((await insertCalls(db, granted, records)).map(({ id, fence }) => [id, fence]))
      for (const [call, stream] of chosen) {
        const fence = fences.get(call.id)
        if (fence !== undefined) stream?.send(toEvent(call, fence))
      }
    })
    return batch.map(() => undefined)
  })
}

/**
 * Runs the insertion when no other statement gives calls to these workers. If its outcome is unknown, a worker may have
 * been given calls that it was not sent, or may still get them, so the streams end and the workers connect again.
 */
async function inTurn(streams: readonly (LocalStream | undefined)[], insert: () => Promise<void>): Promise<void> {
  const distinct = new Set(streams.filter((stream) => stream !== undefined))
  using turns = new DisposableStack()
  for (const { takeTurn } of distinct) turns.use(await takeTurn())
  try {
    await insert()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) for (const { fail } of distinct) fail(error)
    throw error
  }
}

function toEvent({ id, name, arguments: input, timeoutSeconds }: FunctionCall, fence: number): Work {
  return { type: 'call', call_id: id, fence, kind: 'function', name, input, seconds_left: timeoutSeconds }
}
