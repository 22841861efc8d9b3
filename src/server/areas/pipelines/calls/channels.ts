import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'

/** Notified with the id of an app that has a new queued call. */
export const CALLS_CHANNEL = 'pipelines_calls'
/**
 * Notified when the sweep may be due at another time: with the id of a worker whose stream opened, closed or was lost,
 * and without one because of a new run of a pipeline.
 */
export const STREAMS_CHANNEL = 'pipelines_streams'
/** Notified about calls of one worker: its id, a verb and ids of calls, separated by spaces. */
export const WORKERS_CHANNEL = 'pipelines_workers'

type Verb = 'ended' | 'cancel'
type WorkerNotice = { readonly workerId: string; readonly verb: Verb; readonly callIds: readonly string[] }

/** The worker of a call that never had one. */
const NO_WORKER_ID = '-'

export async function notifyWorker(tx: Tx | Querier, workerId: string | null, verb: Verb, callIds: readonly string[]) {
  const payload = [workerId ?? NO_WORKER_ID, verb, ...callIds].join(' ')
  await notify(tx, WORKERS_CHANNEL, payload)
}

/** Returns undefined for the empty payload, which says that notices may have been missed. */
export function readNotice(payload: string): WorkerNotice | undefined {
  const [workerId = '', verb, ...callIds] = payload.split(' ')
  return verb === 'ended' || verb === 'cancel' ? { workerId, verb, callIds } : undefined
}
