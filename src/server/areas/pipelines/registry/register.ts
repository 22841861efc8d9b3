import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '#contract/core/errors.ts'
import type { PipelineDefinition } from '#contract/workers.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import type { App } from '../calls/kinds.ts'
import { firstSlot, scheduleFault } from './cron.ts'
import {
  findAndLockPipeline,
  insertPipeline,
  listPipelinesOf,
  type PipelineRow,
  SCHEDULE_CHANNEL,
  updatePipeline,
} from './store.ts'

/** Pipelines of one app, also those that no worker declares any more. */
const MAX_PIPELINES_PER_APP = 200

/**
 * Stores the pipelines that a worker declares, in the transaction of its registration. A pipeline that is declared again
 * keeps its state, its switch and, unless its schedule changed, the time at which it is next due: a worker that connects
 * again right after that time must not lose the run. The caller holds off other registrations of the app.
 */
export async function registerPipelines(
  tx: Tx,
  app: App,
  definitions: readonly PipelineDefinition[],
  now: Date,
): Promise<void> {
  if (definitions.length === 0) return
  refuseFaults(definitions)
  const stored = new Map((await listPipelinesOf(tx, app.appId)).map((row) => [row.name, row]))
  const added = definitions.filter(({ name }) => !stored.has(name))
  refuseTooMany(stored.size, added.length)
  for (const definition of added) await insertPipeline(tx, newPipeline(definition, app, now))
  const changed = definitions.filter((definition) => {
    const former = stored.get(definition.name)
    return former && !isDeepStrictEqual(declared(former), declared(definition))
  })
  for (const definition of changed) await redeclare(tx, stored.get(definition.name)!.id, definition, now)
  if (added.length + changed.length > 0) await notify(tx, SCHEDULE_CHANNEL)
}

function refuseTooMany(stored: number, added: number): void {
  if (added === 0 || stored + added <= MAX_PIPELINES_PER_APP) return
  throw new ServiceError(
    'INVALID_REQUEST',
    `pipelines: the app has ${stored} pipelines and may have ${MAX_PIPELINES_PER_APP}; delete some that are not used any more`,
  )
}

function refuseFaults(definitions: readonly PipelineDefinition[]): void {
  for (const [index, { schedule, timezone, name }] of definitions.entries()) {
    const fault = schedule === null ? undefined : scheduleFault({ cron: schedule, timezone })
    if (fault) throw new ServiceError('INVALID_REQUEST', `pipelines.${index} (${name}): ${fault}`)
  }
}

function newPipeline(definition: PipelineDefinition, { orgId, appId }: App, now: Date): PipelineRow {
  return {
    ...declared(definition),
    id: newId('pl'),
    org_id: orgId,
    app_id: appId,
    enabled: true,
    state: null,
    state_since: null,
    next_at: firstSlot({ ...definition, enabled: true }, now),
    created_at: now,
  }
}

async function redeclare(tx: Tx, id: string, definition: PipelineDefinition, now: Date): Promise<void> {
  const former = await findAndLockPipeline(tx, id)
  if (!former) return
  const isSameSchedule = former.schedule === definition.schedule && former.timezone === definition.timezone
  const row: PipelineRow = { ...former, ...declared(definition) }
  await updatePipeline(tx, { ...row, next_at: isSameSchedule ? former.next_at : firstSlot(row, now) })
}

function declared({ name, description, schedule, timezone, concurrency, timeout_seconds }: PipelineDefinition) {
  return { name, description, schedule, timezone, concurrency, timeout_seconds }
}
