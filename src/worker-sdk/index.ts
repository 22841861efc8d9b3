export { createWorkerClient, type WorkerClientOptions } from './client.ts'
export { createTokenSource, type TokenSource } from './token-source.ts'

/** From 0.0.18 on a worker presents the projected token of its deployment. */
export const SDK_VERSION = '0.0.18'
