import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import { RESTART_GRACE_MS } from '#ports/restart-grace.ts'
import { CALLS_CHANNEL, STREAMS_CHANNEL } from './channels.ts'
import type { Call } from './kinds.ts'

/** A replica that waits for a function gives up on its own; the sweep comes a little later, for calls it forgot. */
const LATE = sql`clock_timestamp() - interval '1 second'`
/** How long a result waits for its replica, which takes it within milliseconds unless it died. */
const ABANDONED = sql`clock_timestamp() - interval '60 seconds'`
const BATCH = 500

export type EndingCall = Call & {
  readonly fence: number | null
  readonly workerId: string | null
  readonly repeatable: boolean
  readonly fault: 'WORKER_LOST' | 'TIMEOUT' | 'NO_WORKER'
}

const RUNS_PIPELINE = sql`exists (
  select from pipelines.calls where worker_id = workers.id and kind = 'pipeline' and state = 'running')`
const GRACE = sql`${RESTART_GRACE_MS} * interval '1 millisecond'`
/** After so long without a process that sweeps, a worker that was awaited before is awaited once more. */
const HOLD_AGAIN = sql`interval '10 minutes'`

/**
 * Removes workers that missed their heartbeats. While they connect again, those that run a pipeline are kept, for two
 * minutes from when they were first missed, however often svc is restarted meanwhile.
 */
export async function removeLostWorkers(db: Querier, isReconnecting: boolean): Promise<void> {
  if (isReconnecting) {
    await db.query(sql`
      update pipelines.workers set held_until = clock_timestamp() + ${GRACE}
      where expires_at <= clock_timestamp() and ${RUNS_PIPELINE}
        and (held_until is null or held_until <= clock_timestamp() - ${HOLD_AGAIN})`)
  }
  await db.query(sql`
    with lost as (
      delete from pipelines.workers
      where expires_at <= clock_timestamp()
        and not (${isReconnecting} and coalesce(held_until > clock_timestamp(), false) and ${RUNS_PIPELINE})
      returning id
    )
    select pg_notify(${STREAMS_CHANNEL}, id) from lost`)
}

/**
 * Finds calls that no worker will end: their worker is lost, their deadline has passed, or they are queued and nobody
 * serves them. A queued pipeline run waits a minute for a worker that is being replaced, and while workers connect again.
 */
export function findEnding(db: Querier, isReconnecting: boolean): Promise<EndingCall[]> {
  return db.query<EndingCall>(sql`
    select id, org_id as "orgId", app_id as "appId", kind, name, reference, started_at as "startedAt", fence,
           worker_id as "workerId", repeatable, fault
    from (
      select calls.*, case
        when state = 'running' and not exists (select from pipelines.workers where workers.id = calls.worker_id)
          then 'WORKER_LOST'
        when deadline < ${LATE} then 'TIMEOUT'
        when state = 'queued' and (kind = 'function' or created_at < ${ABANDONED} and not ${isReconnecting}) and not exists (
          select from pipelines.served join pipelines.workers on workers.id = served.worker_id
          where served.app_id = calls.app_id and served.kind = calls.kind and served.name = calls.name)
          then 'NO_WORKER' end as fault
      from pipelines.calls where state in ('queued', 'running')) as found
    where fault is not null
    order by id limit ${BATCH}`)
}

/** Locks the call. Returns false if somebody else has ended or taken it meanwhile. */
export async function lockUnchanged(tx: Tx, { id, fence }: Pick<EndingCall, 'id' | 'fence'>): Promise<boolean> {
  const rows = await tx.query(sql`
    select from pipelines.calls
    where id = ${id} and state in ('queued', 'running') and fence is not distinct from ${fence}::bigint
    for update`)
  return rows.length > 0
}

/** Lets another worker run the call. The fence stays until then, so that no result of the lost worker fits. */
export async function requeue(tx: Tx, { id, appId }: Call): Promise<void> {
  await tx.query(sql`
    update pipelines.calls set state = 'queued', worker_id = null, started_at = null where id = ${id}`)
  await notify(tx, CALLS_CHANNEL, appId)
}

export async function removeAbandoned(db: Querier): Promise<void> {
  await db.query(sql`delete from pipelines.calls where state = 'ended' and ended_at < ${ABANDONED}`)
}

/**
 * Returns the seconds until a worker can run out, or while there are calls at most `whileCalls`; undefined if there is
 * neither.
 */
export async function secondsToNext(db: Querier, whileCalls: number): Promise<number | undefined> {
  const [row] = await db.query<{ seconds: number | null }>(sql`
    select extract(epoch from least(
      (select min(expires_at) from pipelines.workers),
      (select least(min(deadline) + interval '1 second', clock_timestamp() + make_interval(secs => ${whileCalls}))
       from pipelines.calls having count(*) > 0)) - clock_timestamp())::float8 as seconds`)
  return row?.seconds ?? undefined
}
