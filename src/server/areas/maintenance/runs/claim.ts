import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Claim } from '#lib/work/job-kind.ts'
import type { HeldRun } from './held.ts'

export type ClaimedRun = Claim & HeldRun

/** Claims queued runs, the oldest first. A run is claimed once: one whose worker died ends and is not begun again. */
export async function claimRuns(db: Querier, limit: number, leaseSeconds: number): Promise<ClaimedRun[]> {
  return db.query(sql`
    update maintenance.runs run
    set status = 'running', fence = nextval('svc.fences'),
        lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where id in (
      select id from maintenance.runs where status = 'queued' order by id limit ${limit} for update skip locked)
    returning run.id, run.fence, run.org_id, run.app_id, run.model, run.requested_by, run.revision_id`)
}

export async function renewRuns(db: Querier, runs: readonly Claim[], leaseSeconds: number): Promise<Claim[]> {
  return db.query(sql`
    update maintenance.runs
    set lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where id = any(${runs.map(({ id }) => id)}::text[]) and fence = any(${runs.map(({ fence }) => fence)}::bigint[])
      and status in ('running', 'validating') and lease_until > clock_timestamp()
    returning id, fence`)
}

/** Gives back claims of runs that were not begun. */
export async function releaseRuns(db: Querier, runs: readonly Claim[]): Promise<void> {
  await db.query(sql`
    update maintenance.runs set status = 'queued', fence = null, lease_until = null
    where id = any(${runs.map(({ id }) => id)}::text[]) and fence = any(${runs.map(({ fence }) => fence)}::bigint[])
      and status = 'running'`)
}

/** Ends runs whose worker died or lost the database for longer than its lease. */
export async function endExpired(tx: Tx): Promise<HeldRun[]> {
  return tx.query(sql`
    update maintenance.runs set status = 'ended', terminal_code = 'lease_expired', ended_at = now()
    where id in (
      select id from maintenance.runs
      where status in ('running', 'validating') and lease_until <= clock_timestamp()
      order by id for update skip locked)
    returning id, org_id, app_id, model, requested_by, revision_id`)
}
