import type { Tx } from '#lib/db/db.ts'
import { nextTime } from '#lib/time/cron.ts'
import { isConnected, isServed } from '../calls/served-store.ts'
import { slotToDecide, unservedSlotToDecide } from '../registry/cron.ts'
import { type LockedPipeline, lockDuePipeline, setHeldUntil, setNextSlot } from '../registry/store.ts'
import type { RunDeps } from '../runs/deps.ts'
import { recordOutcome } from '../runs/record-outcome.ts'
import { addRun, findPlace, startRun } from '../runs/start.ts'
import { decideSlot } from './decide-slot.ts'
import { holdSlot } from './hold-slot.ts'

type Look = { readonly now: Date; readonly reconnectUntil: Date }
type Scheduled = LockedPipeline & { readonly schedule: string; readonly next_at: Date }

const IN_THE_WAY = {
  state: 'skipped',
  reason_code: 'ALREADY_RUNNING',
  reason: 'Another run was under way, and the concurrency policy or the length of the queue let this one not wait.',
} as const

/**
 * Decides one slot of a pipeline that is due, in the transaction that holds the pipeline's lock. Returns whether nothing
 * of the pipeline is due any more: not while the slot waits for a worker, while another slot is left to decide, or if
 * another process is at it.
 */
export async function evaluatePipeline(tx: Tx, deps: RunDeps, id: string, look: Look): Promise<boolean> {
  const pipeline = await lockDuePipeline(tx, id, look.now)
  if (!pipeline || !isScheduled(pipeline)) return false
  const schedule = { cron: pipeline.schedule, timezone: pipeline.timezone }
  const slot = slotToDecide(schedule, pipeline.next_at, look.now)
  const unservedSlot = unservedSlotToDecide(schedule, pipeline.next_at, look.now)
  if (!slot || !unservedSlot) return false
  const settled = await settleSlot(tx, deps, { pipeline, slot, unservedSlot, ...look })
  if (!settled) return false
  const next = nextTime(schedule, settled)
  await setNextSlot(tx, id, next)
  return !next || next > look.now
}

type Slots = Look & { readonly pipeline: LockedPipeline; readonly slot: Date; readonly unservedSlot: Date }

/** Returns the slot that was decided, or undefined while it waits for a worker. */
async function settleSlot(tx: Tx, deps: RunDeps, slots: Slots): Promise<Date | undefined> {
  const { pipeline, slot, unservedSlot, now } = slots
  const newRun = { pipeline, scheduled_at: slot, requested_by: null, now }
  const place = await findPlace(tx, pipeline)
  if (place === 'skip') {
    await addRun(tx, newRun, IN_THE_WAY)
    return slot
  }
  if (place === 'wait') {
    await addRun(tx, newRun)
    return slot
  }
  const { app_id, name } = pipeline
  const served = await isServed(tx, app_id, 'pipeline', name)
  const connected = served || (await isConnected(tx, app_id))
  const scheduledAt = served ? slot : unservedSlot
  const hold = holdSlot({ now, heldUntil: pipeline.held_until, reconnectUntil: slots.reconnectUntil })
  const { reconnectUntil } = hold
  const decided = decideSlot({ scheduledAt, now, isServed: served, isConnected: connected, reconnectUntil })
  if (decided.decision === 'wait') {
    if (reconnectUntil > now) await setHeldUntil(tx, pipeline.id, hold.end)
    return undefined
  }
  if (decided.decision === 'run') {
    const run = await addRun(tx, newRun)
    if (run) await startRun(tx, deps.sealer, pipeline, run.id)
    return slot
  }
  const { decision: outcome, code: reason_code, reason } = decided
  const run = await addRun(tx, { ...newRun, scheduled_at: scheduledAt }, { state: outcome, reason_code, reason })
  if (run) await recordOutcome(tx, deps, { pipeline, run, outcome, at: now })
  return scheduledAt
}

function isScheduled(pipeline: LockedPipeline): pipeline is Scheduled {
  return pipeline.schedule !== null && pipeline.next_at !== null
}
