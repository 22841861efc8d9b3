import { expect, it, onTestFinished } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import type { Claim, JobKind } from '#lib/work/job-kind.ts'
import type { JobTable } from '#lib/work/job-table.ts'
import { openTestDatabase } from '../database.ts'
import { needs } from '../stores.ts'
import { until } from '../until.ts'

/** A kind of job whose claims are raced. */
type ClaimedKind<Job extends Claim> = {
  readonly jobs: JobTable
  readonly kindOf: (db: Db) => Pick<JobKind<Job>, 'claim' | 'renew' | 'release'>
  /** Makes this many jobs that can be claimed at once. */
  readonly make: (db: Db, count: number) => Promise<unknown>
  /** Takes jobs away whose lease ran out, as any worker does. */
  readonly takeOver: (db: Db) => Promise<unknown>
  /** Seconds after which a worker that found nothing to claim looks again while others hold jobs. Left out, a loop does that. */
  readonly lookSeconds?: number
}

const JOBS = 8
const ROUNDS = 6

/** Tests with several connections that a job has one holder, whoever renews, takes over and gives back at the same time. */
export function raceClaims<Job extends Claim>(
  title: string,
  { jobs, kindOf, make, takeOver, lookSeconds }: ClaimedKind<Job>,
): void {
  const { table, isClaimed } = jobs
  const claimAll = async (db: Db): Promise<Job[]> => {
    await make(db, JOBS)
    const claimed = await kindOf(db).claim(JOBS, { running: [] })
    expect(claimed.jobs).toHaveLength(JOBS)
    return claimed.jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }
  const expire = (db: Db, claims: readonly Claim[]) =>
    db.query(sql`update ${table} set lease_until = '-infinity' where id = any(${idsOf(claims)}::text[])`)
  const rowsOf = (db: Db) => db.query(sql`select to_jsonb(job) as row from ${table} as job order by id`)
  /** Ids of the claims that the table shows as held, with a lease that lasts. */
  const heldOf = async (db: Db, claims: readonly Claim[]): Promise<string[]> => {
    const rows = await db.query<Claim>(sql`
      select id, fence from ${table} where ${isClaimed} and lease_until > clock_timestamp()`)
    return idsOf(claims.filter(({ id, fence }) => rows.some((row) => row.id === id && row.fence === fence)))
  }

  needs('postgres')(`${title}, among several workers`, () => {
    if (lookSeconds !== undefined)
      it('while others hold some, a worker looks soon for one whose holder died', async () => {
        const [db, other] = await openWorkers()
        expect(await kindOf(other).claim(1, { running: [] })).toEqual({ jobs: [] })
        await claimAll(db)
        expect(await kindOf(other).claim(1, { running: [] })).toEqual({ jobs: [], nextInSeconds: lookSeconds })
      })

    it('a claim whose lease ran out is renewed by its holder if nobody took it, and nobody takes it then', async () => {
      const [db, other] = await openWorkers()
      const claims = await claimAll(db)
      await expire(db, claims)
      expect(sortedIds(await kindOf(db).renew(claims))).toEqual(idsOf(claims))
      await takeOver(other)
      expect(await heldOf(db, claims)).toEqual(idsOf(claims))
    })

    it('a claim that was taken over is not renewed or given back by its former holder, nor if they waited for that', async () => {
      const [db, other, observer] = await openWorkers()
      const claims = await claimAll(db)
      await expire(db, claims)
      const held = holdCommit(other)
      const takingOver = takeOver(held.db)
      await held.changed
      const renewing = kindOf(db).renew(claims)
      await Promise.race([untilWaiting(observer), renewing])
      const releasing = kindOf(db).release(claims)
      held.commit()
      await Promise.all([takingOver, releasing])
      expect(await renewing).toEqual([])
      const taken = await rowsOf(db)
      await kindOf(db).release(claims)
      expect(await kindOf(db).renew(claims)).toEqual([])
      expect(await rowsOf(db)).toEqual(taken)
      expect(await heldOf(db, claims)).toEqual([])
    })

    it('a claim that is being renewed is not taken over', async () => {
      const [db, other] = await openWorkers()
      const claims = await claimAll(db)
      await expire(db, claims)
      const held = holdCommit(db)
      const renewing = kindOf(held.db).renew(claims)
      await Promise.race([held.changed, renewing])
      await takeOver(other)
      held.commit()
      expect(await renewing).toHaveLength(JOBS)
      expect(await heldOf(db, claims)).toEqual(idsOf(claims))
    })

    it('of a renewal and a takeover at once, one gets each job', async () => {
      const [db, other] = await openWorkers()
      for (let round = 0; round < ROUNDS; round++) {
        const claims = await claimAll(db)
        await expire(db, claims)
        const [renewed] = await Promise.all([kindOf(db).renew(claims), takeOver(other)])
        expect(sortedIds(renewed)).toEqual(await heldOf(db, claims))
        // A takeover skips jobs that are locked, so all of them are gone only after another one.
        await expire(db, renewed)
        await takeOver(other)
        expect(await kindOf(db).renew(claims)).toEqual([])
      }
    })

    it('a claim that was given back is not renewed', async () => {
      const [db, other] = await openWorkers()
      const claims = await claimAll(db)
      await kindOf(db).release(claims)
      expect(await kindOf(other).renew(claims)).toEqual([])
      expect((await kindOf(other).claim(JOBS, { running: [] })).jobs).toHaveLength(JOBS)
    })

    it('renewals lock jobs in the order of their ids, so that two never wait for each other in a circle', async () => {
      const workers = await openWorkers()
      const [db, other] = workers
      const claims = await claimAll(db)
      await expectIdOrder(workers, { table, claims }, (worker) => kindOf(worker).renew(claims.toReversed()))
      const orders = [claims, claims.toReversed(), [...claims.slice(4), ...claims.slice(0, 4)]]
      const renewals = Array.from({ length: 30 }, (_, n) => kindOf(n % 2 ? db : other).renew(orders[n % 3]!))
      expect((await Promise.all(renewals)).map(({ length }) => length)).toEqual(Array(30).fill(JOBS))
    })
  })
}

type Workers = readonly [Db, Db, Db]

/** Plans that find rows in an order of their own are off, so that a statement keeps one only if it asks for it. */
const UNSORTED = '-c enable_mergejoin=off -c enable_indexscan=off -c enable_indexonlyscan=off -c enable_bitmapscan=off'

/** Opens a database of its own for a test, with the connections of three workers. */
export async function openWorkers(): Promise<Workers> {
  const opened = await openTestDatabase()
  const open = () => openPostgres({ url: opened.url!, options: UNSORTED, onError: () => undefined })
  const workers = [opened.db, open(), open()]
  onTestFinished(async () => {
    await Promise.all(workers.slice(1).map((worker) => worker[Symbol.asyncDispose]()))
    await opened[Symbol.asyncDispose]()
  })
  return [workers[0]!, workers[1]!, workers[2]!]
}

/**
 * Holds one job and lets `lockAll` lock all of them. While it waits, it must have locked the jobs with lower ids, and
 * none with a higher one.
 */
export async function expectIdOrder(
  [db, other, observer]: Workers,
  { table, claims }: { readonly table: Sql; readonly claims: readonly Claim[] },
  lockAll: (worker: Db) => Promise<unknown>,
): Promise<void> {
  // Written again from the last to the first, because a table is read in the order in which its rows were written.
  for (const { id } of claims.toReversed()) await db.query(sql`update ${table} set fence = fence where id = ${id}`)
  const middle = claims.length / 2
  const held = holdCommit(db)
  const holding = held.db.query(sql`update ${table} set fence = fence where id = ${claims[middle]!.id}`)
  await held.changed
  const locking = lockAll(other)
  await untilWaiting(observer)
  const free = await observer.query<Claim>(sql`select id from ${table} order by id for update skip locked`)
  held.commit()
  await Promise.all([holding, locking])
  expect(idsOf(free)).toEqual(idsOf(claims.slice(middle + 1)))
}

/** A database whose first transaction that writes waits for `commit` when it is done. */
function holdCommit(db: Db): { db: Db; changed: Promise<void>; commit: () => void } {
  const [changed, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const tx: Db['tx'] = (run, options) =>
    db.tx(async (inner) => {
      const result = await run(inner)
      const [row] = await inner.query<{ has_written: boolean }>(sql`
        select pg_current_xact_id_if_assigned() is not null as has_written,
          set_config('idle_in_transaction_session_timeout', '0', true)`)
      if (row!.has_written) {
        changed.resolve()
        await go.promise
      }
      return result
    }, options)
  return {
    db: { ...db, tx, query: (statement) => tx((inner) => inner.query(statement)) },
    changed: changed.promise,
    commit: go.resolve,
  }
}

/** Waits until a statement waits for a row that another transaction holds. */
async function untilWaiting(db: Db): Promise<void> {
  await until(async () => {
    const waiting = await db.query(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    return waiting.length > 0
  })
}

function idsOf(claims: readonly { readonly id: string }[]): string[] {
  return claims.map(({ id }) => id)
}

function sortedIds(claims: readonly Claim[]): string[] {
  return idsOf(claims).sort()
}
