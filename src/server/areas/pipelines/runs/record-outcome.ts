import type { Tx } from '#lib/db/db.ts'
import { emit } from '#ports/emit.ts'
import { type PipelineRow, setState } from '../registry/store.ts'
import type { RunDeps } from './deps.ts'
import type { RunRow } from './store.ts'
import { type RunOutcome, transition } from './transition.ts'

/**
 * Changes the state of a pipeline as the end of a run demands, and reports the change in the same transaction. The
 * caller holds the lock of the pipeline, so that two ends at once lead to one report.
 */
export async function recordOutcome(
  tx: Tx,
  { appsIn }: Pick<RunDeps, 'appsIn'>,
  { pipeline, run, outcome, at }: { pipeline: PipelineRow; run: RunRow; outcome: RunOutcome; at: Date },
): Promise<void> {
  const { enabled: isEnabled, schedule } = pipeline
  const changed = transition(pipeline.state, {
    outcome,
    trigger: run.trigger,
    isEnabled,
    isScheduled: schedule !== null,
  })
  if (!changed) return
  await setState(tx, pipeline.id, changed.state, at)
  if (!changed.event) return
  const app = (await appsIn(tx).names(pipeline.org_id, [pipeline.app_id])).get(pipeline.app_id)
  if (!app) return
  const body = {
    actor_id: run.requested_by,
    app: { id: app.id, alias: app.alias, name: app.name },
    pipeline: { id: pipeline.id, name: pipeline.name },
    run_id: run.id,
  }
  const event = { org_id: pipeline.org_id, occurred_at: at }
  switch (changed.event) {
    case 'pipeline.run.failed':
      await emit(tx, { ...event, type: changed.event, body: { ...body, status: 'failed' } })
      return
    case 'pipeline.run.recovered':
      await emit(tx, { ...event, type: changed.event, body: { ...body, status: 'recovered' } })
      return
    case 'pipeline.run.host_offline':
      await emit(tx, { ...event, type: changed.event, body: { ...body, status: 'host_offline' } })
      return
    case 'pipeline.run.missed':
      await emit(tx, { ...event, type: changed.event, body: { ...body, status: 'missed' } })
      return
    default:
      changed.event satisfies never
  }
}
