import type { Db } from '../db/db.ts'
import type { Claim, HeldLease, JobKind } from './job-kind.ts'
import { LEASE_SECONDS, type Lease, releaseLease, renewLeases, takeLease } from './lease.ts'

/** A job whose claim is a lease in `svc.leases`, for rows that have no claim columns of their own. */
export type LeasedJob<Row> = Claim & { readonly row: Row; readonly lease: Lease }

type LeaseDb = Pick<Db, 'query' | 'engine' | 'instance'>

type LeasedWork<Row> = Pick<JobKind, 'name' | 'slots' | 'wakeOn' | 'onNotify' | 'pollSeconds' | 'drainSeconds'> & {
  readonly leaseName: (row: Row) => string
  /** Returns the rows that are to be worked at, those that come first first. */
  readonly find: () => Promise<readonly Row[]>
  /** Returns after how many seconds `find` may return more. Null or absent: nothing is planned. */
  readonly nextInSeconds?: () => Promise<number | null>
  /** How soon to look again at a row that somebody else works at: that process may die. */
  readonly heldSeconds?: number
  /** The lease is given back when this has ended. */
  readonly run: (job: LeasedJob<Row>, held: HeldLease) => Promise<void>
}

const HELD_SECONDS = 5

/** Makes the kind of jobs whose claims are leases: one for each row, by its name. */
export function leasedJobs<Row extends { id: string }>(db: LeaseDb, work: LeasedWork<Row>): JobKind<LeasedJob<Row>> {
  const { leaseName, find, nextInSeconds, heldSeconds = HELD_SECONDS, run, ...kind } = work
  return {
    ...kind,
    leaseSeconds: LEASE_SECONDS,
    async claim(limit, { running }) {
      const jobs: LeasedJob<Row>[] = []
      let isAnyHeld = false
      for (const row of await find()) {
        if (jobs.length === limit) break
        if (running.some(({ id }) => id === row.id)) continue
        const lease = await takeLease(db, leaseName(row))
        if (lease) jobs.push({ id: row.id, fence: lease.fence, row, lease })
        else isAnyHeld = true
      }
      return { jobs, nextInSeconds: isAnyHeld ? heldSeconds : await nextInSeconds?.() }
    },
    async run(job, held) {
      try {
        await run(job, held)
      } finally {
        await releaseLease(db, job.lease)
      }
    },
    async renew(jobs) {
      const leases = jobs.map(({ lease }) => lease)
      const renewed = new Set((await renewLeases(db, leases)).map(({ fence }) => fence))
      return jobs.filter(({ fence }) => renewed.has(fence))
    },
    async release(jobs) {
      for (const { lease } of jobs) await releaseLease(db, lease)
    },
  }
}
