import type { PipelineDefinition } from '#contract/workers.ts'
import type { Tx } from '#lib/db/db.ts'

export type CallKind = 'function' | 'pipeline'

/**
 * Why a call has no output. FUNCTION_FAILED: the worker's code threw. WORKER_LOST: the worker that ran it is gone.
 * TIMEOUT: its deadline passed. NO_WORKER: it was queued, and no worker serves the name any more.
 */
type CallFault = 'FUNCTION_FAILED' | 'WORKER_LOST' | 'TIMEOUT' | 'NO_WORKER'

export type CallResult =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly code: CallFault; readonly message: string }

export type Call = {
  readonly id: string
  readonly orgId: string
  readonly appId: string
  readonly kind: CallKind
  readonly name: string
  /** What the kind itself stores of the call: the id of a pipeline run. */
  readonly reference: string | null
  readonly startedAt: Date | null
}

export type LogLine = {
  readonly at: Date
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly text: string
}

/** What a kind of calls does in the transactions of their life. Function calls have no rows of their own. */
export type CallKindHooks = {
  /** In the transaction of a worker's registration, also of a repeated one. A ServiceError refuses the worker. */
  registered?(
    tx: Tx,
    app: { readonly orgId: string; readonly appId: string },
    definitions: readonly PipelineDefinition[],
  ): Promise<void>
  /** In the transaction that gives calls to a worker. */
  started?(tx: Tx, calls: readonly Call[]): Promise<void>
  /** In the transaction that ends the call, exactly once for each call. */
  finished(tx: Tx, call: Call, result: CallResult): Promise<void>
  /** In the transaction that accepts log lines of a call that still runs. */
  logged?(tx: Tx, call: Call, lines: readonly LogLine[]): Promise<void>
}
