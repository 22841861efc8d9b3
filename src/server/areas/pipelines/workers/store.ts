import type { FunctionDefinition } from '#contract/workers.ts'
import { WORKER_LEASE_SECONDS, WORKER_RECONNECT_SECONDS } from '#contract/workers.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { notify } from '#lib/db/notify.ts'
import { sql } from '#lib/db/sql.ts'
import { leaseEnd } from '#lib/work/lease.ts'
import { STREAMS_CHANNEL } from '../calls/channels.ts'
import type { App, CallKind } from '../calls/kinds.ts'

type NewWorker = App & {
  readonly id: string
  readonly principalId: string
  readonly sdkVersion: string
  readonly concurrency: number
}
/** `stream` is the number of this connection of the worker. */
export type ConnectedWorker = { readonly id: string; readonly stream: number }

/** Holds others off the registrations of an app until the transaction ends. */
export async function lockRegistrations(tx: Tx, appId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${appId}, 15))`)
}

/** Goes on as the worker, if it is the same principal's and not lost. */
export async function resumeWorker(tx: Tx, worker: NewWorker): Promise<ConnectedWorker | undefined> {
  const [row] = await tx.query<ConnectedWorker>(sql`
    update pipelines.workers
    set stream = nextval('svc.fences'), expires_at = ${leaseEnd(WORKER_LEASE_SECONDS)}, connected_at = clock_timestamp(),
        held_until = null, sdk_version = ${worker.sdkVersion}, concurrency = ${worker.concurrency}
    where id = ${worker.id} and app_id = ${worker.appId} and principal_id = ${worker.principalId}
    returning id, stream`)
  return row
}

export async function countWorkers(tx: Tx, appId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) from pipelines.workers where app_id = ${appId} and expires_at > clock_timestamp()`)
  return row!.count
}

export async function insertWorker(tx: Tx, worker: NewWorker): Promise<ConnectedWorker> {
  const [row] = await tx.query<ConnectedWorker>(sql`
    insert into pipelines.workers
      (id, org_id, app_id, principal_id, sdk_version, concurrency, stream, connected_at, expires_at)
    values (${worker.id}, ${worker.orgId}, ${worker.appId}, ${worker.principalId}, ${worker.sdkVersion},
            ${worker.concurrency}, nextval('svc.fences'), clock_timestamp(), ${leaseEnd(WORKER_LEASE_SECONDS)})
    returning id, stream`)
  return row!
}

type Served = { readonly kind: CallKind; readonly name: string }

export async function replaceServed(tx: Tx, workerId: string, appId: string, served: readonly Served[]): Promise<void> {
  await tx.query(sql`delete from pipelines.served where worker_id = ${workerId}`)
  await tx.query(sql`
    insert into pipelines.served (worker_id, kind, name, app_id)
    select ${workerId}, kind, name, ${appId}
    from unnest(${served.map(({ kind }) => kind)}::text[], ${served.map(({ name }) => name)}::text[])
      as one (kind, name)`)
}

/** Saves the functions as the newest worker describes them, and removes those that no worker serves any more. */
export async function saveFunctions(tx: Tx, app: App, functions: readonly FunctionDefinition[]): Promise<void> {
  await tx.query(sql`
    insert into pipelines.functions
      (app_id, name, org_id, description, input_schema, timeout_seconds, repeatable, registered_at)
    select ${app.appId}, name, ${app.orgId}, description, input_schema, timeout_seconds, repeatable, clock_timestamp()
    from unnest(${functions.map(({ name }) => name)}::text[],
                ${functions.map(({ description }) => description)}::text[],
                ${functions.map(({ input_schema }) => JSON.stringify(input_schema))}::text[],
                ${functions.map(({ timeout_seconds }) => timeout_seconds)}::int[],
                ${functions.map(({ repeatable }) => repeatable)}::boolean[])
      as new (name, description, input_schema, timeout_seconds, repeatable)
    on conflict (app_id, name) do update
    set description = excluded.description, input_schema = excluded.input_schema,
        timeout_seconds = excluded.timeout_seconds, repeatable = excluded.repeatable,
        registered_at = excluded.registered_at`)
  await tx.query(sql`
    delete from pipelines.functions
    where app_id = ${app.appId} and not exists (
      select from pipelines.served join pipelines.workers on workers.id = served.worker_id
      where served.app_id = functions.app_id and served.kind = 'function' and served.name = functions.name
        and workers.expires_at > clock_timestamp())`)
}

/** Leaves the worker a few seconds to connect again. Does nothing if it has done so already. */
export async function closeStream(db: Querier, { id, stream }: ConnectedWorker): Promise<void> {
  await db.query(sql`
    update pipelines.workers set expires_at = least(expires_at, ${leaseEnd(WORKER_RECONNECT_SECONDS)})
    where id = ${id} and stream = ${stream}`)
  await notify(db, STREAMS_CHANNEL, id)
}

/** Returns undefined if the worker was lost or has a newer stream, else whether a call waits at its app. */
export async function readStream(
  db: Querier,
  { id, stream }: ConnectedWorker,
): Promise<{ mayWait: boolean } | undefined> {
  const [row] = await db.query<{ mayWait: boolean }>(sql`
    select exists (select from pipelines.calls where app_id = workers.app_id and state = 'queued') as "mayWait"
    from pipelines.workers where id = ${id} and stream = ${stream}`)
  return row
}

export type OwnWorker = { readonly workerId: string; readonly appId: string; readonly principalId: string }

/** Returns false for a worker that is lost, of another app, or of another principal. */
export async function renewWorker(db: Querier, worker: OwnWorker): Promise<boolean> {
  const rows = await db.query(sql`
    update pipelines.workers set expires_at = ${leaseEnd(WORKER_LEASE_SECONDS)}, held_until = null
    where id = ${worker.workerId} and app_id = ${worker.appId} and principal_id = ${worker.principalId} returning id`)
  return rows.length > 0
}

export async function isOwnWorker(db: Querier, worker: OwnWorker): Promise<boolean> {
  const rows = await db.query(sql`
    select from pipelines.workers
    where id = ${worker.workerId} and app_id = ${worker.appId} and principal_id = ${worker.principalId}`)
  return rows.length > 0
}

/** After this the worker gets no calls, and nothing counts as served by it. */
export async function removeServed(db: Querier, workerId: string): Promise<void> {
  await db.query(sql`delete from pipelines.served where worker_id = ${workerId}`)
  // Calls that wait may be served by nobody now.
  await notify(db, STREAMS_CHANNEL, workerId)
}
