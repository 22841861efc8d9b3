import { createHash, randomBytes } from 'node:crypto'
import type { EventOf } from '#contract/core/events.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { sql } from '#lib/db/sql.ts'
import { emit } from '#ports/emit.ts'
import { insertChannel } from '../../../src/server/areas/notifications/channels/store.ts'
import { SLOTS } from '../../../src/server/areas/notifications/create-deliveries.ts'
import { addSubscription } from '../../../src/server/areas/notifications/subscriptions/store.ts'
import { allMigrations } from '../../../src/server/process/schema.ts'
import { startOwnPostgres } from '../databases/own-postgres.ts'
import { seeded } from '../seeded.ts'
import { until, untilDone } from '../until.ts'
import { type SlotsProcess, startReporting } from '../work/slots-processes.ts'
import { bringForward, countUnderWay, countWaiting, type LedgerRow, readLedger } from './delivery-ledger.ts'
import { type Sink, startSink } from './delivery-sink.ts'
import { type Faults, runKillSchedule, WORKERS } from './kill-schedule.ts'

type Options = { kills: number; events: number; seed: number }

type DeliveryReport = {
  seed: number
  kills: number
  /** Workers that were stopped until their leases had ended, and went on then. */
  pauses: number
  /** Immediate stops of Postgres. */
  crashes: number
  events: number
  requests: number
  /** Messages by their state in the ledger. */
  states: Record<string, number>
  /** Messages that ended `unknown` because of a kill, a pause or a crash, and how many that may be at most. */
  unknown: number
  max_unknown: number
  /** Messages that ended `unknown` because the sink broke the connection, and how often it did. */
  unknown_by_sink: number
  resets: number
  /** Notifications that the sink accepted more than once. */
  duplicates: string[]
  /** Events that the ledger does not end or keep waiting. */
  lost: string[]
  /** Notifications that are `sent` but never arrived, or that arrived although the ledger says they did not. */
  untrue: string[]
  /** Log lines of Postgres about each deadlock between workers. */
  deadlocks: string[]
  /** Most frequent errors that workers reported, for the reader of a failed run. */
  errors: Record<string, number>
}

const ORGANIZATIONS = 40
/** As in delivery-program.ts. */
const LEASE_SECONDS = 6

/**
 * Sends events to a faulty sink with several workers, and meanwhile kills workers, stops them past their leases and
 * crashes Postgres, at random moments. Then lets everything end and compares the ledger with what the sink accepted.
 */
export async function deliveryKills({ kills, events, seed }: Options): Promise<DeliveryReport> {
  await using stack = new AsyncDisposableStack()
  const random = seeded(seed)
  const postgres = stack.use(await startOwnPostgres({ max_connections: 100 }))
  const db = stack.use(openPostgres({ url: postgres.url, onError: () => undefined }))
  await migrate(db, allMigrations())
  const sink = stack.use(await startSink(seeded(seed + 1)))
  const key = randomBytes(16).toString('hex')
  const orgs = await addWebhooks(db, key)
  const all: SlotsProcess[] = []
  const start = async () => {
    const worker = stack.use(
      await startReporting('deliveries/delivery-program.ts', [postgres.url, String(sink.port), key]),
    )
    all.push(worker)
    return worker
  }
  const emitted: string[] = []
  const faults = await runKillSchedule({
    kills,
    events,
    random,
    sink,
    start,
    emit: async (count) => void emitted.push(...(await emitEvents(db, orgs, count))),
    pausePastLease: (worker) => pausePastLease(db, worker),
    crash: () => postgres.crash(),
  })
  await settle(db, sink)
  const ledger = await untilDone(() => readLedger(db))
  return {
    seed,
    ...faults,
    events: emitted.length,
    ...compare(ledger, emitted, sink, faults),
    deadlocks: postgres.log().match(/deadlock detected[\s\S]*?HINT/g) ?? [],
    errors: errorsOf(all),
  }
}

async function addWebhooks(db: Db, key: string): Promise<string[]> {
  const sealer = createSealer([createHash('sha256').update(key).digest('hex')])
  const orgs = Array.from({ length: ORGANIZATIONS }, () => newId('org'))
  await db.tx(async (tx) => {
    for (const [i, org_id] of orgs.entries()) {
      // Some destinations get several notifications in one message.
      const settings = { per_message: i % 4 === 0 ? 5 : 1 }
      const secret = `https://hooks.example.com/${org_id}`
      const { id } = await insertChannel(tx, sealer, { org_id, kind: 'webhook', label: 'sink', settings, secret })
      const subscribed = { org_id, owner: 'organization', channel_id: id, timing: 'immediately' } as const
      for (const pattern of ['deploy.failed', 'pipeline.*'])
        await addSubscription(tx, sealer, { ...subscribed, pattern })
    }
  })
  return orgs
}

/** Returns the ids of events whose commit was answered. */
async function emitEvents(db: Db, orgs: readonly string[], count: number): Promise<string[]> {
  return untilDone(() =>
    db.tx(async (tx) => {
      const ids: string[] = []
      for (let i = 0; i < count; i++) ids.push(await emit(tx, failure(orgs[i % orgs.length]!, i)))
      return ids
    }),
  )
}

/** Few of the events also have to be matched to people. */
function failure(org_id: string, i: number): EventOf {
  const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
  const common = { org_id, occurred_at: new Date() }
  if (i % 10 === 0) {
    const body = { status: 'BUILD_FAILED', actor_id: null, app, deployment_id: newId('dep') } as const
    return { type: 'deploy.failed', ...common, body }
  }
  const pipeline = { id: newId('pl'), name: 'Nightly' }
  const body = { status: 'failed', actor_id: null, app, pipeline, run_id: null } as const
  return { type: 'pipeline.run.failed', ...common, body }
}

/** Stops a worker until the leases it can hold have ended and others wrote off what it was sending. */
async function pausePastLease(db: Db, worker: SlotsProcess): Promise<void> {
  worker.signal('SIGSTOP')
  const [stopped] = await untilDone(() =>
    db.query<{ at: string; fences: number[] }>(sql`
      select clock_timestamp()::text as at, coalesce(array_agg(fence::int), '{}') as fences
      from notifications.deliveries where state = 'sending'`),
  )
  const { at, fences } = stopped!
  await until(async () => {
    const [row] = await untilDone(() =>
      db.query<{ over: boolean }>(sql`
        select clock_timestamp() > ${at}::timestamptz + make_interval(secs => ${LEASE_SECONDS}) and not exists (
          select from notifications.deliveries where state = 'sending' and fence = any(${fences}::bigint[])) as over`),
    )
    return row!.over
  })
  worker.signal('SIGCONT')
}

async function settle(db: Db, sink: Sink): Promise<void> {
  sink.beReliable()
  do {
    await untilDone(() => bringForward(db))
    await until(async () => (await untilDone(() => countUnderWay(db))) === 0)
  } while ((await untilDone(() => countWaiting(db))) > 0)
}

function compare(
  ledger: readonly LedgerRow[],
  emitted: readonly string[],
  { accepted, requests, resets }: Sink,
  { kills, pauses, crashes }: Faults,
) {
  const messages = [...new Map(ledger.map((row) => [row.delivery_id ?? row.id, row])).values()]
  const unknown = messages.filter(({ state }) => state === 'unknown')
  const bySink = unknown.filter(({ reason }) => reason === 'io').length
  const slots = SLOTS.first + SLOTS.retry
  const ended = new Set(ledger.filter(({ state }) => state !== 'sending').map(({ event_id }) => event_id))
  return {
    requests,
    states: countBy(messages.map(({ state }) => state ?? 'none')),
    unknown: unknown.length - bySink,
    max_unknown: slots * (kills + pauses + crashes * WORKERS),
    unknown_by_sink: bySink,
    resets,
    duplicates: [...accepted].filter(([, times]) => times > 1).map(([id]) => id),
    lost: emitted.filter((id) => !ended.has(id)),
    untrue: ledger
      .filter(({ id, state }) => state !== 'unknown' && (state === 'sent') !== accepted.has(id))
      .map(({ id, state, reason }) => `${id} is ${state} (${reason})`),
  }
}

function errorsOf(workers: readonly SlotsProcess[]): Record<string, number> {
  const messages = workers.flatMap(({ events }) => events.flatMap(({ message }) => message ?? []))
  return countBy(messages.map((message) => message.slice(0, 100)))
}

function countBy(names: readonly string[]): Record<string, number> {
  const groups = [...Map.groupBy(names, (name) => name)]
  return Object.fromEntries(
    groups.map(([name, { length }]) => [name, length]).sort((a, b) => Number(b[1]) - Number(a[1])),
  )
}
