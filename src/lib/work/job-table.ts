import type { Querier } from '../db/db.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Claim } from './job-kind.ts'
import { leaseEnd } from './lease.ts'

/** A table whose rows are jobs: it has the columns `id`, `fence` and `lease_until`. */
export type JobTable = {
  readonly table: Sql
  /** True for a row that is claimed. The fence alone does not say it, because a job that ended keeps its fence. */
  readonly isClaimed: Sql
  /** Assignments that undo a claim, apart from the fence and the lease. */
  readonly undoClaim: Sql
}

/** Assignments of a claim. The fence is higher than that of every earlier claim, so the former holder's does not fit. */
export function newGrant(leaseSeconds: number): Sql {
  return sql`fence = nextval('svc.fences'), lease_until = ${leaseEnd(leaseSeconds)}`
}

/**
 * Extends leases and returns the claims that still stand. A claim whose lease ran out stands until the job is claimed
 * again or ended: whoever does that locks the row first, so either it or the renewal finds the row changed.
 */
export function renewClaims(
  db: Querier,
  jobs: JobTable,
  claims: readonly Claim[],
  leaseSeconds: number,
): Promise<Claim[]> {
  return db.query(sql`
    with mine as (${lockClaims(jobs, claims)})
    update ${jobs.table} as job set lease_until = ${leaseEnd(leaseSeconds)}
    from mine where job.id = mine.id
    returning mine.id, mine.fence`)
}

/** Gives back claims of jobs that were not begun. They lose their fence, so that nobody can renew them any more. */
export async function releaseClaims(db: Querier, jobs: JobTable, claims: readonly Claim[]): Promise<void> {
  await db.query(sql`
    with mine as (${lockClaims(jobs, claims)})
    update ${jobs.table} as job set fence = null, lease_until = null, ${jobs.undoClaim}
    from mine where job.id = mine.id`)
}

/** Rows are locked in the order of their ids, as everybody does who locks several, so that none waits in a circle. */
function lockClaims({ table, isClaimed }: JobTable, claims: readonly Claim[]): Sql {
  return sql`
    select id, fence from ${table} as job
    join unnest(${claims.map(({ id }) => id)}::text[], ${claims.map(({ fence }) => fence)}::bigint[])
      as held (id, fence) using (id, fence)
    where ${isClaimed} order by id for no key update of job`
}
