import type { Db } from '#lib/db/db.ts'
import { DatabaseUnavailable } from '#lib/db/errors.ts'
import { sql } from '#lib/db/sql.ts'
import type { Address, Replica } from '../engine.ts'

type Options = {
  readonly primary: Pick<Db, 'query'>
  readonly standby: Pick<Db, 'query'>
  readonly address: Address
  readonly maxLagSeconds: number
  readonly now?: () => number
}

/** Where the primary was at a time, in bytes of its journal. */
type Position = { readonly at: number; readonly bytes: bigint }

/** How often positions are compared while questions come. */
const CHECK_MS = 500
const AWAY_MS = 5_000

/**
 * Knows how far the standby is behind by remembering where the primary was at which time: a standby that has replayed a
 * position shows all that was committed until then. The time of the last replayed transaction would not do, because it
 * stands still while nobody writes.
 */
export function createReplica(options: Options): Omit<Replica, 'endBackend'> {
  const { primary, standby, maxLagSeconds, now = () => performance.now() } = options
  const maxLagMs = maxLagSeconds * 1000
  let positions: Position[] = []
  let currentUntil = Number.NEGATIVE_INFINITY
  let awayUntil = Number.NEGATIVE_INFINITY
  let checkedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined
  let probing: Promise<void> | undefined

  const compare = async () => {
    const at = now()
    const bytes = await positionOf(primary)
    positions = [...positions.filter((position) => position.at > at - maxLagMs), { at, bytes }]
    const replayed = await replayedBy(standby)
    const reached = positions.findLast((position) => position.bytes <= replayed)
    currentUntil = reached ? reached.at + maxLagMs : Number.NEGATIVE_INFINITY
  }
  const check = () => {
    checkedAt = now()
    checking ??= compare()
      // A standby or primary that does not answer makes the last comparison grow old, until it counts no more.
      .catch(() => undefined)
      .finally(() => {
        checking = undefined
      })
    return checking
  }
  /**
   * Asks the standby on our own connection whether it is away. What a question failed with does not say so: code of the
   * tenant can raise any SQLSTATE and end its own session.
   */
  const probe = () => {
    probing ??= replayedBy(standby)
      .then(() => undefined)
      .catch(() => {
        awayUntil = now() + AWAY_MS
      })
      .finally(() => {
        probing = undefined
      })
  }
  const isCurrent = () => now() < currentUntil && now() >= awayUntil
  return {
    maxLagSeconds,
    async address() {
      await probing
      const isDue = now() - checkedAt >= CHECK_MS
      const checked = isDue ? check() : checking
      if (!isCurrent() && now() >= awayUntil) await checked
      return isCurrent() ? options.address : undefined
    },
    failed(error) {
      if (error instanceof DatabaseUnavailable) probe()
    },
  }
}

async function positionOf(primary: Pick<Db, 'query'>): Promise<bigint> {
  const [row] = await primary.query<{ bytes: string }>(sql`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes`)
  return BigInt(row!.bytes)
}

/** Throws if the server is no standby, because one that was promoted no longer follows the primary. */
async function replayedBy(standby: Pick<Db, 'query'>): Promise<bigint> {
  const [row] = await standby.query<{ bytes: string | null }>(sql`
    select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text end as bytes`)
  if (row!.bytes === null) throw new Error('the read replica is not a standby')
  return BigInt(row!.bytes)
}
