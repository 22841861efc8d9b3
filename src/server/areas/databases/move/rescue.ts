import { ServiceError } from '#contract/core/errors.ts'
import type { Db, Querier } from '#lib/db/db.ts'
import type { JobKind } from '#lib/work/job-kind.ts'
import { type LeasedJob, leasedJobs } from '#lib/work/leased-jobs.ts'
import { leaseOf } from '../life/finish.ts'
import { findById, findMove, findMoving } from '../model/move-store.ts'
import { type DatabaseRow, UNFINISHED_CHANNEL } from '../model/store.ts'
import type { Servers } from '../servers/servers.ts'
import { finishMove } from './move.ts'
import { undoMove } from './undo.ts'

type Deps = { readonly db: Db; readonly servers: Servers; readonly settleMs?: number }

const POLL_SECONDS = 30
const DRAIN_SECONDS = 15

/**
 * Ends moves whose command died: one that was not switched is undone, so that the owner can write again, and one that
 * was switched is finished.
 */
export function moveJobs(
  deps: Deps,
  onError: (error: unknown, row: DatabaseRow) => void,
): JobKind<LeasedJob<DatabaseRow>> {
  const { db } = deps
  return leasedJobs<DatabaseRow>(db, {
    name: 'databases-move',
    leaseName: leaseOf,
    slots: 1,
    wakeOn: UNFINISHED_CHANNEL,
    pollSeconds: POLL_SECONDS,
    drainSeconds: DRAIN_SECONDS,
    find: () => findMoving(db),
    async run({ row }) {
      try {
        await endMove(deps, row)
      } catch (error) {
        onError(error, row)
      }
    },
  })
}

async function endMove(deps: Deps, { id }: DatabaseRow): Promise<void> {
  const [row, move] = [await findById(deps.db, id), await findMove(deps.db, id)]
  if (!row || !move) return
  if (move.phase === 'copying') await undoMove(deps, row, move)
  if (move.phase === 'switched') await finishMove(deps, row, move)
}

const RETRY_SECONDS = 15

/** Throws UNAVAILABLE while the owner is kept out because of a move. */
export async function refuseWhileMoving(db: Querier, { id, name }: DatabaseRow): Promise<void> {
  const move = await findMove(db, id)
  if (!move || move.phase === 'kept') return
  throw new ServiceError(
    'UNAVAILABLE',
    `The database ${name} is being moved to another server and cannot be changed until that is done. Try again later.`,
    { retryAfterSeconds: RETRY_SECONDS },
  )
}
