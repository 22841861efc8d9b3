import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'

/** Arguments of calls that have not ended. */
export const CALL_INPUTS: SealedColumn<{ id: string }> = {
  kind: 'arguments of calls',
  table: ['pipelines', 'calls'],
  column: 'input',
  primaryKey: ['id'],
  context: ({ id }) => `call-input:${id}`,
}

/** Results that the replica which waits for them has not taken yet. */
export const CALL_RESULTS: SealedColumn<{ id: string }> = {
  kind: 'results of calls',
  table: ['pipelines', 'calls'],
  column: 'result',
  primaryKey: ['id'],
  context: ({ id }) => `call-result:${id}`,
}
