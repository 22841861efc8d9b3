import type { Sealer } from '#lib/crypto/seal.ts'
import type { Tx } from '#lib/db/db.ts'
import type { Call, CallKindHooks, CallResult } from './kinds.ts'
import { CALL_RESULTS } from './sealed.ts'
import { deleteCalls, keepResults } from './store.ts'

export type FinishDeps = { readonly sealer: Sealer; readonly pipelines: CallKindHooks }
type EndedCall = { readonly call: Call; readonly result: CallResult }

/**
 * Ends calls whose rows are locked. The result of a function is kept, sealed, for the replica that waits for it, unless
 * `isTaken` says that this process hands it over after the commit. A pipeline run has rows of its own.
 */
export async function endCalls(
  tx: Tx,
  { sealer, pipelines }: FinishDeps,
  ended: readonly EndedCall[],
  isTaken: (callId: string) => boolean,
): Promise<void> {
  const runs = ended.filter(({ call }) => call.kind === 'pipeline')
  for (const { call, result } of runs) await pipelines.finished(tx, call, result)
  const gone = ended.filter(({ call }) => call.kind === 'pipeline' || isTaken(call.id))
  const goneIds = gone.map(({ call }) => call.id)
  if (goneIds.length > 0) await deleteCalls(tx, goneIds)
  const results = ended
    .filter((one) => !gone.includes(one))
    .map(({ call: { id }, result }) => ({
      id,
      sealed: sealer.seal(JSON.stringify(result), CALL_RESULTS.context({ id })),
    }))
  if (results.length > 0) await keepResults(tx, results)
}
