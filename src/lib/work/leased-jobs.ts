import type { Db } from '../db/db.ts'
import type { Claim, JobKind } from './job-kind.ts'
import { LEASE_SECONDS, type Lease, releaseLease, renewLeases, takeLease } from './lease.ts'

/** A job whose claim is a lease in `svc.leases`, for rows that have no claim columns of their own. */
export type LeasedJob<Row> = Claim & { readonly row: Row; readonly lease: Lease }

type LeaseDb = Pick<Db, 'query' | 'engine' | 'instance'>
type Options<Row> = { readonly limit: number; readonly running: readonly Claim[]; readonly rows: readonly Row[] }

/** The parts of a job kind that are the same for every kind whose claims are leases. */
export function leasedJobs<Row extends { id: string }>(db: LeaseDb, leaseName: (row: Row) => string) {
  const parts: Pick<JobKind<LeasedJob<Row>>, 'leaseSeconds' | 'renew' | 'release'> = {
    leaseSeconds: LEASE_SECONDS,
    renew: async (jobs) => {
      const renewed = new Set(
        (
          await renewLeases(
            db,
            jobs.map(({ lease }) => lease),
          )
        ).map(({ fence }) => fence),
      )
      return jobs.filter(({ fence }) => renewed.has(fence))
    },
    release: async (jobs) => {
      for (const { lease } of jobs) await releaseLease(db, lease)
    },
  }
  return {
    parts,
    /** Takes the leases of at most `limit` rows. `isAnyHeld` tells that somebody else works at one of the others. */
    async take({ limit, running, rows }: Options<Row>): Promise<{ jobs: LeasedJob<Row>[]; isAnyHeld: boolean }> {
      const jobs: LeasedJob<Row>[] = []
      let isAnyHeld = false
      for (const row of rows) {
        if (jobs.length === limit) break
        if (running.some(({ id }) => id === row.id)) continue
        const lease = await takeLease(db, leaseName(row))
        if (lease) jobs.push({ id: row.id, fence: lease.fence, row, lease })
        else isAnyHeld = true
      }
      return { jobs, isAnyHeld }
    },
  }
}
