import { ServiceError } from '#contract/core/errors.ts'
import type { Member } from '#edge/route/route.ts'
import type { AppName } from '#ports/apps.ts'
import { auditBy } from '#ports/audit.ts'
import { isServed } from '../calls/served-store.ts'
import { firstSlot } from '../registry/cron.ts'
import { deletePipelineRow, lockPipeline, type PipelineRow, setEnabled } from '../registry/store.ts'
import type { RunDeps } from '../runs/deps.ts'
import { countOpenRuns, skipWaitingRuns } from '../runs/store.ts'

/** The caller who changes a pipeline, and its app. The audit trail has names too: ids say nothing after a deletion. */
type ChangedBy = {
  readonly principal: Pick<Member, 'id' | 'org_id' | 'support'>
  readonly app: Pick<AppName, 'alias'>
}

/** Enables or disables a pipeline. The times of the schedule that passed while it was disabled are not made up for. */
export function switchPipeline(
  { db, clock }: Pick<RunDeps, 'db' | 'clock'>,
  id: string,
  enabled: boolean,
  { principal, app }: ChangedBy,
): Promise<PipelineRow> {
  return db.tx(async (tx) => {
    const pipeline = await lockPipeline(tx, id)
    if (pipeline.enabled === enabled) return pipeline
    const now = clock.now()
    const changed = { ...pipeline, enabled, next_at: firstSlot({ ...pipeline, enabled }, now) }
    await setEnabled(tx, id, changed)
    const action = enabled ? 'pipeline.enabled' : 'pipeline.disabled'
    const detail = { alias: app.alias, name: pipeline.name }
    await auditBy(tx, principal, { action, target: id, detail, at: now })
    if (!enabled)
      await skipWaitingRuns(tx, id, { at: now, code: 'DISABLED', reason: 'The pipeline was disabled before its turn.' })
    return changed
  })
}

/** Deletes a pipeline that no worker declares any more, with its history. */
export function removePipeline(
  { db, clock }: Pick<RunDeps, 'db' | 'clock'>,
  id: string,
  { principal, app }: ChangedBy,
): Promise<void> {
  return db.tx(async (tx) => {
    const { name, app_id } = await lockPipeline(tx, id)
    if (await isServed(tx, app_id, 'pipeline', name))
      throw new ServiceError(
        'CONFLICT',
        `A connected worker declares the pipeline ${name}. Remove it from its code first.`,
      )
    if ((await countOpenRuns(tx, id)).active > 0)
      throw new ServiceError('CONFLICT', `A run of the pipeline ${name} is under way. Try again when it has ended.`)
    await deletePipelineRow(tx, id)
    const detail = { alias: app.alias, name }
    await auditBy(tx, principal, { action: 'pipeline.deleted', target: id, detail, at: clock.now() })
  })
}
