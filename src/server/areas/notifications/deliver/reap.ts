import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { repeatWhileFull } from '#lib/work/full-batches.ts'
import type { Loop } from '#lib/work/loop.ts'
import { lockDestinations } from '../store/lock.ts'
import { rescheduleDestinations } from '../store/reschedule.ts'

/** A claim that is made after a look lasts as long, so none ends unseen. */
const MAX_WAIT_SECONDS = 60
const MIN_WAIT_SECONDS = 1
/** After a lost one was found: another transaction may have held it, so that it could not be ended. */
const LOST_WAIT_SECONDS = 5
const DELIVERIES_PER_TRANSACTION = 200

/**
 * Ends deliveries whose worker is gone. Nobody knows whether the message left, so it is `unknown` and never sent again;
 * the worker, if it still lives, can correct that under its fence.
 */
export function reapLoop({ db }: { db: Db }): Loop {
  return {
    name: 'notifications-reap',
    tick: async (now, signal) => {
      const { is_lost, next_in_seconds } = await look(db)
      if (is_lost) await repeatWhileFull(signal, DELIVERIES_PER_TRANSACTION, () => reap(db))
      const longest = is_lost ? LOST_WAIT_SECONDS : MAX_WAIT_SECONDS
      const wait = Math.min(Math.max(next_in_seconds ?? longest, MIN_WAIT_SECONDS), longest)
      return new Date(now.getTime() + wait * 1000)
    },
  }
}

/** Whether a lease has ended, and when the next will end if nobody renews it. */
async function look(db: Db) {
  const [row] = await db.query<{ is_lost: boolean; next_in_seconds: number | null }>(sql`
    select coalesce(bool_or(lease_until <= clock_timestamp()), false) as is_lost,
      extract(epoch from min(lease_until) filter (where lease_until > clock_timestamp()) - clock_timestamp())::float8
        as next_in_seconds
    from notifications.deliveries where state = 'sending'`)
  return row!
}

async function reap(db: Db): Promise<number> {
  const expired = await db.query<{ destination_key: string }>(sql`
    select distinct destination_key from notifications.deliveries
    where state = 'sending' and lease_until < clock_timestamp() limit ${DELIVERIES_PER_TRANSACTION}`)
  const keys = expired.map(({ destination_key }) => destination_key).sort()
  if (keys.length === 0) return 0
  return db.tx(async (tx) => {
    // Destinations first: that is the order of every writer, so that none waits for another in a circle.
    await lockDestinations(tx, keys)
    const ended = await tx.query<{ destination_key: string }>(sql`
      with lost as (
        update notifications.deliveries
        set state = 'unknown', reason = 'worker_lost', ended_at = clock_timestamp(), lease_until = null,
            message = null, outcome = 'unknown'
        where id in (
          select id from notifications.deliveries
          where state = 'sending' and lease_until < clock_timestamp() and destination_key = any(${keys}::text[])
          order by id limit ${DELIVERIES_PER_TRANSACTION}
          -- A result that is being written now is not lost.
          for update skip locked)
        returning id, fence, destination_key
      ), traced as (
        -- A worker of the former release wrote a row of its own for the attempt.
        update notifications.attempts as attempt
        set ended_at = clock_timestamp(), outcome = 'unknown', reason = 'worker_lost'
        from lost where attempt.delivery_id = lost.id and attempt.fence = lost.fence
      )
      select destination_key from lost`)
    await rescheduleDestinations(tx, keys)
    return ended.length
  })
}
