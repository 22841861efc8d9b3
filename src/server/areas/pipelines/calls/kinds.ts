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

export type App = { readonly orgId: string; readonly appId: string }

export type Call = App & {
  readonly id: string
  readonly kind: CallKind
  readonly name: string
  /** The kind's own reference of the call: the id of a pipeline run. */
  readonly reference: string | null
  readonly startedAt: Date | null
}

export type LogLine = {
  readonly at: Date
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly text: string
}

/** Hooks of a kind of calls in the transactions that change a call. Function calls have no rows of their own. */
export type CallKindHooks = {
  /** In the transaction of a worker's registration, also of a repeated one. A ServiceError refuses the worker. */
  registered?(tx: Tx, app: App, definitions: readonly PipelineDefinition[]): Promise<void>
  /** In the transaction that gives calls to a worker. */
  started?(tx: Tx, calls: readonly Call[]): Promise<void>
  /** In the transaction that ends the call, exactly once for each call. */
  finished(tx: Tx, call: Call, result: CallResult): Promise<void>
  /** In the transaction that accepts log lines of a call that still runs. */
  logged?(tx: Tx, call: Call, lines: readonly LogLine[]): Promise<void>
}
