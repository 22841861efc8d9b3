import { anyLength } from '#lib/db/any-length.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { CALLS_CHANNEL, STREAMS_CHANNEL, WORKERS_CHANNEL } from './channels.ts'
import type { Call, CallKind } from './kinds.ts'

export type NewCall = Omit<Call, 'startedAt'> & {
  /** Sealed. */
  readonly input: string
  readonly timeoutSeconds: number
  readonly repeatable: boolean
}

type Grant = { readonly workerId: string; readonly stream: number }
type StartedCall = { readonly id: string; readonly fence: number }
type InsertedCall = NewCall & {
  /** A stream of this process that serves the call and that is given nothing else meanwhile. */
  readonly grant?: Grant | undefined
  /**
   * The version of the function with which the call was checked. Such a call is only inserted if it is given to a worker
   * at once, nothing of its app waits, and the function still has this version.
   */
  readonly onlyAtVersion?: string | undefined
}

/**
 * Inserts calls. One with a grant is given to that worker at once if nobody changes the worker, which has the stream still,
 * serves the name and has a place that no call before it waits for. Returns those. The others are queued, which wakes the
 * workers of their apps, unless they have `onlyAtVersion`. `alongside` is an insertion that is made in the same statement,
 * also when there are no calls.
 */
export async function insertCalls(
  db: Querier,
  calls: readonly InsertedCall[],
  alongside?: Sql,
): Promise<StartedCall[]> {
  if (calls.length === 0 && alongside) {
    await db.query(alongside)
    return []
  }
  const column = (key: keyof NewCall) => anyLength(calls.map((call) => call[key]))
  const first = alongside ? sql`recorded as (${alongside}), ` : sql``
  const rows = await db.query<{ id: string; fence: number | null }>(sql`
    with ${first}new as (
      select * from unnest(
        ${column('id')}::text[], ${column('orgId')}::text[], ${column('appId')}::text[], ${column('kind')}::text[],
        ${column('name')}::text[], ${column('reference')}::text[], ${column('input')}::text[],
        ${column('repeatable')}::boolean[], ${column('timeoutSeconds')}::float8[],
        ${anyLength(calls.map(({ grant }) => grant?.workerId ?? null))}::text[],
        ${anyLength(calls.map(({ grant }) => grant?.stream ?? null))}::bigint[],
        ${anyLength(calls.map(({ onlyAtVersion }) => onlyAtVersion ?? null))}::timestamptz[])
        as one (id, org_id, app_id, kind, name, reference, input, repeatable, seconds, worker_id, stream, version)),
    me as (
      select id, app_id, concurrency from pipelines.workers
      where (id, stream) in (select worker_id, stream from new) and expires_at > clock_timestamp()
      -- A worker that connects again holds its row for longer, and calls of others are in this statement too.
      order by id for share skip locked),
    free as (
      select me.id, me.concurrency - (
        select count(*) from pipelines.calls where calls.worker_id = me.id and calls.state = 'running') - (
        select count(*) from pipelines.calls
        join pipelines.served on served.worker_id = me.id and served.kind = calls.kind and served.name = calls.name
        where calls.app_id = me.app_id and calls.state = 'queued' and calls.deadline > clock_timestamp()) as places
      from me),
    given as (
      select asked.id, asked.worker_id
      from (
        select new.id, new.worker_id, row_number() over (partition by new.worker_id order by new.id) as place
        from new join pipelines.served
          on served.worker_id = new.worker_id and served.kind = new.kind and served.name = new.name
        where new.version is null
          or not exists (select from pipelines.calls where calls.app_id = new.app_id and calls.state = 'queued')
            and exists (
              select from pipelines.functions
              where functions.app_id = new.app_id and functions.name = new.name
                and functions.registered_at = new.version)) as asked
      join free on free.id = asked.worker_id and asked.place <= free.places),
    inserted as (
      insert into pipelines.calls
        (id, org_id, app_id, kind, name, reference, input, repeatable, created_at, deadline, state, worker_id, fence,
         started_at)
      select new.id, new.org_id, new.app_id, new.kind, new.name, new.reference, new.input, new.repeatable,
             clock_timestamp(), clock_timestamp() + make_interval(secs => new.seconds),
             case when given.id is null then 'queued' else 'running' end, given.worker_id,
             case when given.id is not null then nextval('svc.fences') end,
             case when given.id is not null then clock_timestamp() end
      from new left join given on given.id = new.id
      where new.version is null or given.id is not null
      returning id, app_id, fence, kind)
    select id, fence, case when fence is null then pg_notify(${CALLS_CHANNEL}, app_id)::text end as woken,
      case when kind = 'pipeline' then pg_notify(${STREAMS_CHANNEL}, '')::text end as planned
    from inserted`)
  return rows.flatMap(({ id, fence }) => (fence === null ? [] : { id, fence }))
}

const call = sql`
  calls.id, calls.org_id as "orgId", calls.app_id as "appId", calls.kind, calls.name, calls.reference,
  calls.started_at as "startedAt"`

export type ClaimedCall = Call & { readonly input: string; readonly fence: number; readonly secondsLeft: number }

const claimedColumns = sql`${call}, calls.input, calls.fence,
  extract(epoch from calls.deadline - clock_timestamp())::float8 as "secondsLeft"`

/**
 * Gives queued calls of a kind to a worker, as many as it has free places for. Locks the worker's row, so that a worker that is
 * being removed as lost gets none, but only if calls are queued: a lock has to be written to disk.
 */
export function claimCalls(db: Querier | Tx, kind: CallKind, { workerId, stream }: Grant): Promise<ClaimedCall[]> {
  return db.query<ClaimedCall>(sql`
    with me as (
      select id, app_id, concurrency from pipelines.workers
      where id = ${workerId} and stream = ${stream} and expires_at > clock_timestamp()
        and exists (
          select from pipelines.calls
          where calls.app_id = workers.app_id and calls.kind = ${kind} and calls.state = 'queued')
      for share),
    picked as (
      select calls.id from pipelines.calls, me
      where calls.app_id = me.app_id and calls.kind = ${kind} and calls.state = 'queued' and calls.deadline > clock_timestamp()
        and exists (
          select from pipelines.served
          where served.worker_id = me.id and served.kind = calls.kind and served.name = calls.name)
      order by calls.id
      limit (select greatest(0, me.concurrency - count(running.id)) from me
             left join pipelines.calls running on running.worker_id = me.id and running.state = 'running'
             group by me.concurrency)
      for update of calls skip locked)
    update pipelines.calls
    set state = 'running', worker_id = ${workerId}, fence = nextval('svc.fences'), started_at = clock_timestamp()
    from picked where calls.id = picked.id
    returning ${claimedColumns}`)
}

/** Whether a call of these kinds waits, at whichever worker of the app. */
export async function hasQueued(
  db: Querier,
  appId: string,
  kinds: readonly CallKind[] = ['function', 'pipeline'],
): Promise<boolean> {
  const rows = await db.query(sql`
    select from pipelines.calls
    where app_id = ${appId} and kind = any(${kinds}::text[]) and state = 'queued' limit 1`)
  return rows.length > 0
}

/** Calls that were given to the worker and did not reach it, because its stream broke meanwhile. */
export function findUndelivered(tx: Tx, workerId: string, received: readonly string[]): Promise<ClaimedCall[]> {
  return tx.query<ClaimedCall>(sql`
    select ${claimedColumns} from pipelines.calls
    where worker_id = ${workerId} and state = 'running' and id <> all(${received}::text[])
    order by id`)
}

type RunningCall = Call & { readonly fence: number }

/** Locks those of the calls that this worker runs. */
export function lockRunning(tx: Tx, workerId: string, callIds: readonly string[]): Promise<RunningCall[]> {
  return tx.query<RunningCall>(sql`
    select ${call}, calls.fence from pipelines.calls
    where id = any(${callIds}::text[]) and worker_id = ${workerId} and state = 'running'
    order by id for update`)
}

export async function findRunningIds(db: Querier, workerId: string, callIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from pipelines.calls
    where id = any(${callIds}::text[]) and worker_id = ${workerId} and state = 'running'`)
  return rows.map(({ id }) => id)
}

type Reporter = {
  readonly workerId: string
  readonly appId: string
  readonly principalId: string
  /** Number of the worker's stream that this process holds, which the caller wakes. Any other is notified. */
  readonly heldStream: number | null
}
type Reported = { readonly call_id: string; readonly fence: number }

/**
 * Ends functions whose results this process hands over itself, in one statement. Returns the ids of those that the worker
 * did run, with this fence.
 */
export async function endFunctions(db: Querier, by: Reporter, reported: readonly Reported[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with mine as (
      select id, stream from pipelines.workers
      where id = ${by.workerId} and app_id = ${by.appId} and principal_id = ${by.principalId}),
    ended as (
      delete from pipelines.calls
      using mine, unnest(${anyLength(reported.map(({ call_id }) => call_id))}::text[],
                         ${anyLength(reported.map(({ fence }) => fence))}::bigint[]) as done (id, fence)
      where calls.id = done.id and calls.fence = done.fence and calls.worker_id = mine.id
        and calls.state = 'running' and calls.kind = 'function'
      returning calls.id)
    select ended.id, case when mine.stream is distinct from ${by.heldStream}::bigint
                          then pg_notify(${WORKERS_CHANNEL}, ${`${by.workerId} ended`})::text end as woken
    from ended, mine`)
  return rows.map(({ id }) => id)
}

export async function deleteCalls(tx: Tx, callIds: readonly string[]): Promise<void> {
  await tx.query(sql`delete from pipelines.calls where id = any(${callIds}::text[])`)
}

/** Keeps sealed results for the replicas that wait for them, and removes the arguments. */
export async function keepResults(tx: Tx, results: readonly { id: string; sealed: string }[]): Promise<void> {
  await tx.query(sql`
    update pipelines.calls
    set state = 'ended', ended_at = clock_timestamp(), input = null, result = done.result
    from unnest(${results.map(({ id }) => id)}::text[], ${results.map(({ sealed }) => sealed)}::text[])
      as done (id, result)
    where calls.id = done.id`)
}

type TakenResult = { readonly id: string; readonly sealed: string }

/** Takes results away, with everything that is stored of their calls. */
export function takeResults(db: Querier, callIds: readonly string[]): Promise<TakenResult[]> {
  return db.query<TakenResult>(sql`
    delete from pipelines.calls where id = any(${callIds}::text[]) and state = 'ended'
    returning id, result as sealed`)
}

export async function findExisting(db: Querier, callIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select id from pipelines.calls where id = any(${callIds}::text[])`)
  return new Set(rows.map(({ id }) => id))
}

type Removed = { readonly workerId: string | null; readonly sealed: string | null }

/** Removes a call in any state. `sealed` is its result if it has one. */
export async function removeCall(tx: Tx, id: string): Promise<Removed | undefined> {
  const [row] = await tx.query<Removed>(sql`
    delete from pipelines.calls where id = ${id} returning worker_id as "workerId", result as sealed`)
  return row
}
