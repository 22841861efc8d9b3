import type { PipelineDeps } from '../deps.ts'

export type RunDeps = Pick<PipelineDeps, 'db' | 'clock' | 'sealer' | 'appsIn'>
