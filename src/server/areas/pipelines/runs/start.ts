import { newId } from '#edge/ids.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Tx } from '#lib/db/db.ts'
import { enqueue } from '../calls/enqueue.ts'
import type { PipelineRow } from '../registry/store.ts'
import { countOpenRuns, insertRun, type RunRow, setCall } from './store.ts'

/** More runs of one pipeline do not wait: they are skipped, so that a schedule that is too dense cannot pile them up. */
const MAX_WAITING_RUNS = 10

/** Decides by the concurrency policy whether a run may start now, waits for another one, or is skipped. */
export async function findPlace(tx: Tx, { id, concurrency }: PipelineRow): Promise<'start' | 'wait' | 'skip'> {
  const { active, waiting } = await countOpenRuns(tx, id)
  if (active + waiting === 0) return 'start'
  return concurrency === 'queue' && waiting < MAX_WAITING_RUNS ? 'wait' : 'skip'
}

type NewRun = Pick<RunRow, 'scheduled_at' | 'requested_by'> & { readonly pipeline: PipelineRow; readonly now: Date }

/** Inserts a run that waits. Returns undefined when the time of the schedule was decided before. */
export async function addRun(
  tx: Tx,
  { pipeline, scheduled_at, requested_by, now }: NewRun,
  end?: Pick<RunRow, 'state' | 'reason_code' | 'reason'>,
): Promise<RunRow | undefined> {
  const row: RunRow = {
    id: newId('plr', now.getTime()),
    pipeline_id: pipeline.id,
    trigger: scheduled_at ? 'schedule' : 'manual',
    scheduled_at,
    requested_by,
    created_at: now,
    started_at: null,
    ended_at: end ? now : null,
    state: end?.state ?? 'queued',
    reason_code: end?.reason_code ?? null,
    reason: end?.reason ?? null,
  }
  return (await insertRun(tx, row)) ? row : undefined
}

/** Hands a run that waits to the workers. */
export async function startRun(tx: Tx, sealer: Sealer, pipeline: PipelineRow, runId: string): Promise<void> {
  const callId = await enqueue(tx, sealer, {
    orgId: pipeline.org_id,
    appId: pipeline.app_id,
    kind: 'pipeline',
    name: pipeline.name,
    reference: runId,
    input: {},
    timeoutSeconds: pipeline.timeout_seconds,
  })
  await setCall(tx, runId, callId)
}
