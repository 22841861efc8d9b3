import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '#lib/db/db.ts'
import { script, sql } from '#lib/db/sql.ts'
import type { Claim, HeldLease, JobKind } from '#lib/work/job-kind.ts'
import { type JobTable, newGrant, releaseClaims, renewClaims } from '#lib/work/job-table.ts'
import type { CreateKind, Report } from './slots-program.ts'

/** The module for `startSlots` whose jobs are rows of a table and whose effect is a row of another. */
export const TABLE_JOBS = import.meta.filename

/**
 * `jobs`: one row for each job. `effects`: what a job does once; no constraint keeps it from being done twice.
 * `gate`: jobs wait before their effect while it is shut.
 */
export async function createJobTables(db: Db, jobs: number): Promise<void> {
  await db.query(
    script(`
      create table public.jobs (
        id text primary key,
        is_done boolean not null default false,
        fence bigint,
        lease_until timestamptz,
        grants int not null default 0
      );
      create table public.effects (job_id text not null, fence bigint not null);
      create table public.gate (is_open boolean not null);
      insert into public.gate values (false);
      insert into public.jobs (id) select 'job ' || to_char(n, 'FM000') from generate_series(1, ${jobs}) n`),
  )
}

export async function openGate(db: Db): Promise<void> {
  await db.query(sql`update public.gate set is_open = true`)
}

/** How many effects a job had, and how many jobs had so many. */
export function effectsOf(db: Db): Promise<{ effects: number; jobs: number }[]> {
  return db.query(sql`
    select effects::int, count(*)::int as jobs
    from (select (select count(*) from public.effects where job_id = jobs.id) as effects from public.jobs) each
    group by effects order by effects`)
}

/** How often jobs were claimed, all together. */
export async function countGrants(db: Db): Promise<number> {
  const [row] = await db.query<{ grants: number }>(sql`select sum(grants)::int as grants from public.jobs`)
  return row!.grants
}

export async function countEffects(db: Db): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) from public.effects`)
  return row!.count
}

const JOBS: JobTable = { table: sql`public.jobs`, isClaimed: sql`not is_done`, undoClaim: sql`is_done = false` }

/**
 * Options: `slots`, `leaseSeconds`, `drainSeconds`, and `isObstinate`: the job goes on although it was aborted, so that
 * only its fence keeps it from a second effect.
 */
export const createKind: CreateKind = (db, options, report): JobKind => {
  const leaseSeconds = Number(options.leaseSeconds ?? 2)
  return {
    name: 'table-jobs',
    slots: Number(options.slots ?? 4),
    leaseSeconds,
    pollSeconds: 0.2,
    drainSeconds: Number(options.drainSeconds ?? 1),
    async claim(limit) {
      const jobs = await db.query<Claim>(sql`
        update public.jobs set ${newGrant(leaseSeconds)}, grants = grants + 1
        where id in (
          select id from public.jobs
          where not is_done and (lease_until is null or lease_until <= clock_timestamp())
          order by id limit ${limit} for update skip locked)
        returning id, fence`)
      report('claimed', { count: jobs.length })
      return { jobs }
    },
    renew: (jobs) => renewClaims(db, JOBS, jobs, leaseSeconds),
    release: (jobs) => releaseClaims(db, JOBS, jobs),
    run: (job, held) => runJob(db, job, held, { isObstinate: options.isObstinate === 'yes', report }),
  }
}

type RunOptions = { isObstinate: boolean; report: Report }

async function runJob(db: Db, job: Claim, held: HeldLease, { isObstinate, report }: RunOptions): Promise<void> {
  report('begun', job)
  held.signal.addEventListener('abort', () => report('aborted', { ...job, message: String(held.signal.reason) }))
  while (!(await isGateOpen(db))) {
    if (held.signal.aborted && !isObstinate) return
    await wait(20)
  }
  if (held.leaseMsLeft() === 0 && !isObstinate) return
  report((await takeEffect(db, job)) ? 'done' : 'fenced', job)
}

async function isGateOpen(db: Db): Promise<boolean> {
  const [row] = await db.query<{ is_open: boolean }>(sql`select is_open from public.gate`)
  return row!.is_open
}

/** The effect and the end of the job in one transaction, under its fence. */
function takeEffect(db: Db, { id, fence }: Claim): Promise<boolean> {
  return db.tx(async (tx) => {
    const held = await tx.query(sql`
      update public.jobs set is_done = true
      where id = ${id} and fence = ${fence} and not is_done and lease_until > clock_timestamp() returning id`)
    if (held.length === 1) await tx.query(sql`insert into public.effects values (${id}, ${fence})`)
    return held.length === 1
  })
}
