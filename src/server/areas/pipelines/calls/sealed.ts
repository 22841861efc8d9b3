import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'

function callColumn(kind: string, column: 'input' | 'result'): SealedColumn<{ id: string }> {
  const table = ['pipelines', 'calls'] as const
  return { kind, table, column, primaryKey: ['id'], context: ({ id }) => `call-${column}:${id}` }
}

/** Arguments of calls that have not ended. */
export const CALL_INPUTS = callColumn('arguments of calls', 'input')
/** Results that the replica which waits for them has not taken yet. */
export const CALL_RESULTS = callColumn('results of calls', 'result')
