import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { Claim } from '#lib/work/job-kind.ts'
import { type JobTable, newGrant } from '#lib/work/job-table.ts'
import type { HeldRun } from './held.ts'
import { LOOKED } from './last-look.ts'

export type ClaimedRun = Claim & HeldRun

/**
 * Claims queued runs. Organizations take turns, those with fewer running runs first; within one, runs that a person
 * started come first, then the apps whose last complete look is longest ago, such as those that a budget cut short. A run
 * is claimed once: one whose worker died ends and is not begun again.
 */
export async function claimRuns(db: Querier, limit: number, leaseSeconds: number): Promise<ClaimedRun[]> {
  return db.query(sql`
    update maintenance.runs run
    set status = 'running', ${newGrant(leaseSeconds)}
    where id in (
      select waiting.id from maintenance.runs waiting join (
        select id,
          row_number() over (
            partition by org_id
            order by mode <> 'manual', (
              select max(ended_at) from maintenance.runs look
              where look.app_id = queued.app_id and look.terminal_code = any(${LOOKED}::text[])) nulls first, id)
          + (select count(*) from maintenance.runs busy
              where busy.org_id = queued.org_id and busy.status in ('running', 'validating')) as turn
        from maintenance.runs queued where status = 'queued') turns on turns.id = waiting.id
      where waiting.status = 'queued'
      order by turn, waiting.id limit ${limit} for update of waiting skip locked)
    returning run.id, run.fence, run.org_id, run.app_id, run.model, run.requested_by, run.due_by, run.revision_id`)
}

export const RUN_JOBS: JobTable = {
  table: sql`maintenance.runs`,
  isClaimed: sql`status in ('running', 'validating')`,
  undoClaim: sql`status = 'queued'`,
}

/** Whether a run waits or runs. Each is announced when it is queued. */
export async function hasOpenRuns(db: Querier): Promise<boolean> {
  const rows = await db.query(sql`select from maintenance.runs where status <> 'ended' limit 1`)
  return rows.length > 0
}

/** Whether the lease of a run is over. A transaction that finds nothing would cost three statements more. */
export async function hasExpired(db: Querier): Promise<boolean> {
  const rows = await db.query(sql`
    select from maintenance.runs
    where status in ('running', 'validating') and lease_until <= clock_timestamp() limit 1`)
  return rows.length > 0
}

/** Ends runs whose worker died or lost the database for longer than its lease, and drops the edits that they staged. */
export async function endExpired(tx: Tx): Promise<HeldRun[]> {
  return tx.query(sql`
    with ended as (
      update maintenance.runs set status = 'ended', terminal_code = 'lease_expired', ended_at = now()
      where id in (
        select id from maintenance.runs
        where status in ('running', 'validating') and lease_until <= clock_timestamp()
        order by id for update skip locked)
      returning id, org_id, app_id, model, requested_by, due_by, revision_id
    ), dropped as (
      delete from maintenance.edits edit using ended where edit.run_id = ended.id)
    select * from ended`)
}
