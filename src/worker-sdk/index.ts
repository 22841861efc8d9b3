export type {
  CallContext,
  CallLog,
  CreateWorker,
  FunctionOptions,
  JsonSchema,
  PipelineOptions,
  StandardSchema,
  Worker,
  WorkerOptions,
} from './api.ts'
export { createWorkerClient, type WorkerClientOptions } from './client.ts'
export { createTokenSource, type TokenSource } from './token-source.ts'
export { SDK_VERSION } from './version.ts'
export { createWorker } from './worker.ts'
