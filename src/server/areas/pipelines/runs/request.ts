import { ServiceError } from '#contract/core/errors.ts'
import { isServed } from '../calls/served-store.ts'
import { lockPipeline } from '../registry/store.ts'
import type { RunDeps } from './deps.ts'
import { addRun, findPlace, startRun } from './start.ts'
import type { RunRow } from './store.ts'

/** Starts a run by hand, or lets it wait for the one that is under way. */
export function requestRun({ db, clock, sealer }: RunDeps, pipelineId: string, userId: string | null): Promise<RunRow> {
  return db.tx(async (tx) => {
    const pipeline = await lockPipeline(tx, pipelineId)
    const { name, app_id } = pipeline
    if (!pipeline.enabled)
      throw new ServiceError('PIPELINE_DISABLED', `The pipeline ${name} is disabled. Enable it to run it.`)
    if (!(await isServed(tx, app_id, 'pipeline', name)))
      throw new ServiceError('NO_WORKER', `No worker that serves the pipeline ${name} is connected. Start its worker.`)
    const place = await findPlace(tx, pipeline)
    if (place === 'skip')
      throw new ServiceError(
        'PIPELINE_BUSY',
        `A run of the pipeline ${name} is under way. Try again when it has ended.`,
      )
    const run = await addRun(tx, { pipeline, scheduled_at: null, requested_by: userId, now: clock.now() })
    if (!run) throw new Error('a run without a scheduled time was not inserted')
    if (place === 'start') await startRun(tx, sealer, pipeline, run.id)
    return run
  })
}
