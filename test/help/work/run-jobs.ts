import type { Claim, HeldLease, JobKind } from '#lib/work/job-kind.ts'

const HELD: HeldLease = { signal: new AbortController().signal, leaseMsLeft: () => 15_000 }

/** Claims and runs jobs of a kind until none is claimable. Returns the seconds after which the next one is due. */
export async function runJobs<Job extends Claim>(kind: JobKind<Job>): Promise<number | null | undefined> {
  for (;;) {
    const { jobs, nextInSeconds } = await kind.claim(kind.slots, { running: [] })
    if (jobs.length === 0) return nextInSeconds
    await Promise.all(jobs.map((job) => kind.run(job, HELD)))
  }
}
