import type { Tx } from '#lib/db/db.ts'
import { notifyWorker } from './channels.ts'
import { removeCall } from './store.ts'

/** Takes a call away, queued or running, and tells its worker. Its kind's `finished` is not called. */
export async function cancelByReference(tx: Tx, reference: string): Promise<boolean> {
  const removed = await removeCall(tx, { reference })
  if (removed?.workerId) await notifyWorker(tx, removed.workerId, 'cancel', [removed.id])
  return removed !== undefined
}
