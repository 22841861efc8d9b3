import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { sql } from '#lib/db/sql.ts'
import { lowestIdAt } from '#lib/ids.ts'
import { claimDeliveries } from '../../src/server/areas/notifications/deliver/claim.ts'
import { finishDeliveries } from '../../src/server/areas/notifications/deliver/finish.ts'
import { addNotifications } from '../../src/server/areas/notifications/store/enqueue.ts'
import { cpuMs } from '../help/processes.ts'
import type { Installation } from './installation.ts'

const LEASE_SECONDS = 60
const CLAIMED_AT_ONCE = 4
const OUTCOME_POLL_MS = 100

/** The cost of one operation: pages of the platform's database, CPU of the server and of Postgres, and time. */
export type Cost = { buffers: number; cpuMs: number; ms: number; statements: readonly Statement[] }
export type Statement = { text: string; buffers: number }

export type Meter = AsyncDisposable & {
  /** Runs `work`, which returns how long each of its operations took, and returns the cost of one. */
  measure(database: string, pids: readonly number[], work: () => Promise<readonly number[]>): Promise<Cost>
}

type Counted = { id: string; text: string; calls: number; rows: number; buffers: number }

/** Loops of the product run beside the operations. A statement counts if it ran, or changed a row, for most of them. */
const MIN_SHARE = 0.5

/** Reads pg_stat_statements, which counts the pages that each statement touched, in memory or on disk. */
export async function createMeter(url: string, postmaster: number): Promise<Meter> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create extension if not exists pg_stat_statements')
  await client.query("alter system set pg_stat_statements.track_planning = 'on'")
  await client.query('select pg_reload_conf()')
  const read = async (database: string) => {
    const { rows } = await client.query<Counted>(
      `select queryid::text || userid as id, min(query) as text, sum(calls)::float8 as calls, sum(rows)::float8 as rows,
         sum(shared_blks_hit + shared_blks_read)::float8 as buffers
       from pg_stat_statements s join pg_database d on d.oid = s.dbid where datname = $1 group by 1`,
      [database],
    )
    return new Map(rows.map((row) => [row.id, row]))
  }
  return {
    measure: async (database, pids, work) => {
      const cpu = () => [postmaster, ...pids].reduce((sum, pid) => sum + cpuMs(pid), 0)
      const [before, cpuBefore] = [await read(database), cpu()]
      const took = await work()
      const used = cpu() - cpuBefore
      const statements = [...(await read(database)).values()]
        .map((now) => since(now, before.get(now.id)))
        .filter(({ calls, rows }) => Math.max(calls, rows) >= took.length * MIN_SHARE)
        .map(({ text, buffers }) => ({ text, buffers: buffers / took.length }))
      return {
        buffers: statements.reduce((sum, { buffers }) => sum + buffers, 0),
        cpuMs: used / took.length,
        ms: took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)]!,
        statements,
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

function since(now: Counted, before: Counted | undefined): Counted {
  if (!before) return now
  const { calls, rows, buffers } = before
  return { ...now, calls: now.calls - calls, rows: now.rows - rows, buffers: now.buffers - buffers }
}

/** Waits for the outcomes of questions asked since `began`, which the server writes many at a time, after the answers. */
export async function recordsEnded({ db, orgId }: Installation, began: number): Promise<void> {
  const first = lowestIdAt('act', began)
  const open = sql`select 1 from activity.records where org_id = ${orgId} and id >= ${first} and status is null limit 1`
  while ((await db.query(open)).length > 0) await setTimeout(OUTCOME_POLL_MS)
}

/** Claims and ends deliveries of one destination. The others wait for their time. */
export async function claim({ db, orgId }: Installation, claims: number): Promise<number[]> {
  const took: number[] = []
  for (let n = 0; n < claims; n++) {
    const started = performance.now()
    const { deliveries } = await claimDeliveries(db, 'first', CLAIMED_AT_ONCE, LEASE_SECONDS)
    took.push(performance.now() - started)
    if (deliveries.length !== CLAIMED_AT_ONCE) throw new Error(`claimed ${deliveries.length} deliveries of ${orgId}`)
    const ended = deliveries.map((delivery) => ({ delivery, outcome: { type: 'sent' }, status: 200 }) as const)
    await finishDeliveries(db, ended, Math.random)
  }
  return took
}

/** Makes notifications ready to be sent, as many as `claims` claims take. */
export async function addReady({ db, orgId, destination }: Installation, claims: number, round: number): Promise<void> {
  const added = Array.from({ length: claims * CLAIMED_AT_ONCE }, (_, n) => ({
    event_id: `evt_ready_${round}_${n}`,
    org_id: orgId,
    destination_key: destination,
    kind: 'webhook' as const,
    channel_id: null,
    user_id: null,
    subscription_id: null,
    app_id: null,
    digest: null,
    dropped_reason: null,
    per_message: 1,
  }))
  await db.tx((tx) => addNotifications(tx, added))
}
