import type { Db, Tx } from '#lib/db/db.ts'
import { type Lease, lockLease } from '#lib/work/lease.ts'

/** Another process hosts the app by now, so this one must not write about it any more. */
export class HostLost extends Error {
  override readonly name = 'HostLost'
}

/** Runs a transaction that commits only while this process hosts the app. */
export function asHost<T>(db: Pick<Db, 'tx'>, lease: Lease, run: (tx: Tx) => Promise<T>): Promise<T> {
  return db.tx(async (tx) => {
    if (!(await lockLease(tx, lease))) throw new HostLost('another process hosts the app')
    return run(tx)
  })
}
