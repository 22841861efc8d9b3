import { newId } from '#edge/ids.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Tx } from '#lib/db/db.ts'
import { CALL_INPUTS } from './sealed.ts'
import { insertCalls, type NewCall } from './store.ts'

type CallInput = Omit<NewCall, 'id' | 'input' | 'repeatable' | 'reference'> & {
  readonly input: Readonly<Record<string, unknown>>
  /** Whether the call may be run again after its worker was lost. */
  readonly repeatable?: boolean
  readonly reference?: string
}

/** Makes a call that waits for a worker at most until `timeoutSeconds` from its insertion. */
export function newCall(sealer: Sealer, { input, repeatable = false, reference, ...asked }: CallInput): NewCall {
  const id = newId('call')
  const sealed = sealer.seal(JSON.stringify(input), CALL_INPUTS.context({ id }))
  return { ...asked, id, repeatable, reference: reference ?? null, input: sealed }
}

/** Queues a call in the caller's transaction and returns its id. */
export async function enqueue(tx: Tx, sealer: Sealer, asked: CallInput): Promise<string> {
  const call = newCall(sealer, asked)
  await insertCalls(tx, [call])
  return call.id
}
