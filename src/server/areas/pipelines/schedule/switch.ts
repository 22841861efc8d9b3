import { notFound, ServiceError } from '#contract/core/errors.ts'
import { isServed } from '../calls/served.ts'
import { auditPipeline, type ChangedBy } from '../registry/audit.ts'
import { firstSlot } from '../registry/cron.ts'
import { deletePipelineRow, lockPipeline, type PipelineRow, setEnabled } from '../registry/store.ts'
import type { RunDeps } from '../runs/deps.ts'
import { countOpenRuns, skipWaitingRuns } from '../runs/store.ts'

/** Enables or disables a pipeline. The times of the schedule that passed while it was disabled are not made up for. */
export function switchPipeline(
  { db, clock }: Pick<RunDeps, 'db' | 'clock'>,
  id: string,
  enabled: boolean,
  by: ChangedBy,
): Promise<PipelineRow> {
  return db.tx(async (tx) => {
    const pipeline = await lockPipeline(tx, id)
    if (!pipeline) throw notFound('pipeline')
    if (pipeline.enabled === enabled) return pipeline
    const now = clock.now()
    const changed = { ...pipeline, enabled, next_at: firstSlot({ ...pipeline, enabled }, now) }
    await setEnabled(tx, id, changed)
    const action = enabled ? 'pipeline.enabled' : 'pipeline.disabled'
    await auditPipeline(tx, by, { action, pipeline, at: now })
    if (!enabled)
      await skipWaitingRuns(tx, id, { at: now, code: 'DISABLED', reason: 'The pipeline was disabled before its turn.' })
    return changed
  })
}

/** Deletes a pipeline that no worker declares any more, with its history. */
export function removePipeline({ db, clock }: Pick<RunDeps, 'db' | 'clock'>, id: string, by: ChangedBy): Promise<void> {
  return db.tx(async (tx) => {
    const pipeline = await lockPipeline(tx, id)
    if (!pipeline) throw notFound('pipeline')
    const { name, app_id } = pipeline
    if (await isServed(tx, app_id, 'pipeline', name))
      throw new ServiceError(
        'CONFLICT',
        `A connected worker declares the pipeline ${name}. Remove it from its code first.`,
      )
    if ((await countOpenRuns(tx, id)).active > 0)
      throw new ServiceError('CONFLICT', `A run of the pipeline ${name} is under way. Try again when it has ended.`)
    await deletePipelineRow(tx, id)
    await auditPipeline(tx, by, { action: 'pipeline.deleted', pipeline, at: clock.now() })
  })
}
