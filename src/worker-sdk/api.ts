/*
 * The types of the SDK's public surface. This file imports nothing, because the packed SDK carries it as its
 * declarations.
 */

/** A validator that implements Standard Schema, such as one of zod 4.2 or later. */
export type StandardSchema<Output = unknown> = {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => object }
  }
}
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

/** JSON Schema (2020-12) of an object. */
export type JsonSchema = { readonly type: 'object'; readonly [keyword: string]: unknown }

/** Writes to the history of a pipeline run. Lines of functions go nowhere; write those to the app's own log. */
export type CallLog = {
  debug(text: string): void
  info(text: string): void
  warn(text: string): void
  error(text: string): void
}

export type CallContext = {
  readonly callId: string
  /** Aborted when nobody waits for the result any more: canceled, timed out, or the connection was lost for too long. */
  readonly signal: AbortSignal
  readonly log: CallLog
}

export type FunctionOptions<Input> = {
  /** Description for people and agents. */
  readonly description?: string
  /** Schema of its arguments. Arguments that do not fit never reach the worker. Default: any object. */
  readonly input?: JsonSchema | StandardSchema<Input>
  /** Seconds after which the caller gives up, at most 50. Default: 30. */
  readonly timeoutSeconds?: number
  /** Whether a call may be run again after the worker that ran it was lost. Default: no. */
  readonly repeatable?: boolean
}

export type PipelineOptions = {
  readonly description?: string
  /** Cron expression. Without it the pipeline runs by hand only. */
  readonly schedule?: string
  /** Time zone of the schedule, such as Europe/Berlin. Default: UTC. */
  readonly timezone?: string
  /** Whether a run that is due while the one before still runs is skipped or queued. Default: skip. */
  readonly concurrency?: 'skip' | 'queue'
  /** Seconds after which a run counts as failed. Default: 3600. */
  readonly timeoutSeconds?: number
}

export type WorkerOptions = {
  /** Alias of the app. Default: SVC_APP. */
  readonly app?: string
  /** Address of the instance. Default: SVC_API_URL. */
  readonly apiUrl?: string
  /** Calls that run at once, at most 100. Default: 10. */
  readonly concurrency?: number
  /** Called with faults of the connection, which the worker gets over by itself. Default: console.error. */
  readonly onError?: (error: unknown) => void
}

export type Worker = {
  /** Serves a function. Call it before `start`. */
  function<Input = Record<string, unknown>>(
    name: string,
    options: FunctionOptions<Input>,
    run: (input: Input, context: CallContext) => unknown,
  ): Worker
  /** Serves a pipeline. Call it before `start`. */
  pipeline(name: string, options: PipelineOptions, run: (context: CallContext) => unknown): Worker
  /** Connects. Resolves when the worker is registered; rejects if the server refuses it. */
  start(): Promise<void>
  /** Takes no more calls, lets those under way end for at most `graceSeconds` (default: 10), and disconnects. */
  stop(options?: { readonly graceSeconds?: number }): Promise<void>
}

export type CreateWorker = (options?: WorkerOptions) => Worker
