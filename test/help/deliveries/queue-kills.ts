import { runMigrations } from 'graphile-worker'
import type { Db } from '#lib/db/db.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { sql } from '#lib/db/sql.ts'
import { startOwnPostgres } from '../databases/own-postgres.ts'
import { seeded } from '../seeded.ts'
import { until, untilDone } from '../until.ts'
import { startReporting } from '../work/slots-processes.ts'
import { startSink } from './delivery-sink.ts'
import { type Faults, runKillSchedule } from './kill-schedule.ts'

type Options = { kills: number; events: number; seed: number }
type QueueReport = Faults & { seed: number; jobs: number; requests: number; duplicates: number; lost: number }

/** A job that is locked for longer belongs to a worker that is gone: the sink answers within a tenth of a second. */
const DEAD_AFTER_SECONDS = 5
/** As long as a lease of ours. */
const PAUSE_SECONDS = 6

/** Puts graphile-worker through the kill schedule of `deliveryKills`, with as many messages to the same faulty sink. */
export async function queueKills({ kills, events, seed }: Options): Promise<QueueReport> {
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(await startOwnPostgres({ max_connections: 200 }))
  await runMigrations({ connectionString: postgres.url })
  const db = stack.use(openPostgres({ url: postgres.url, onError: () => undefined }))
  const sink = stack.use(await startSink(seeded(seed + 1)))
  let jobs = 0
  const emit = async (count: number) => {
    await untilDone(() => addJobs(db, jobs, count))
    jobs += count
  }
  const faults = await runKillSchedule({
    kills,
    events,
    random: seeded(seed),
    sink,
    start: async () =>
      stack.use(await startReporting('deliveries/queue-program.ts', [postgres.url, String(sink.port)])),
    emit,
    pausePastLease: async (worker) => {
      worker.signal('SIGSTOP')
      const endsAt = performance.now() + PAUSE_SECONDS * 1000
      await until(() => performance.now() >= endsAt)
      worker.signal('SIGCONT')
    },
    crash: () => postgres.crash(),
  })
  sink.beReliable()
  await until(async () => (await untilDone(() => bringForward(db))) === 0)
  const duplicates = [...sink.accepted.values()].filter((times) => times > 1).length
  return { seed, ...faults, jobs, requests: sink.requests, duplicates, lost: jobs - sink.accepted.size }
}

/** Fails only when Postgres crashed before, so that a repetition adds nothing twice. */
async function addJobs(db: Db, first: number, count: number): Promise<void> {
  await db.query(sql`
    select graphile_worker.add_job('deliver', json_build_object('id', n::text))
    from generate_series(${first}::int, ${first + count - 1}::int) as n`)
}

/**
 * Lets everything that waits be run now, and returns how many jobs are left. graphile-worker unlocks the jobs of a dead
 * worker after four hours; this does the same without the wait.
 */
async function bringForward(db: Db): Promise<number> {
  await db.query(sql`
    update graphile_worker._private_jobs
    set run_at = now(), locked_at = null, locked_by = null
    where locked_at is null and run_at > now()
      or locked_at < now() - make_interval(secs => ${DEAD_AFTER_SECONDS})`)
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from graphile_worker._private_jobs where attempts < max_attempts`)
  return row!.count
}
