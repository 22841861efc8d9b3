import type { Claimed, HeldLease, JobKind } from '#lib/work/job-kind.ts'
import { until } from '../until.ts'

type TestJob = { readonly id: string; readonly fence: number }
type Run = { job: TestJob; held: HeldLease; finish(): void; fail(error: Error): void }
type ClaimCall = { limit: number; running: readonly string[]; answer(ids: string[], nextInSeconds?: number): void }

/**
 * A kind of job whose queue is an array. Each run waits until the test ends it. With `manual`, each claim waits until
 * the test answers it.
 */
export function openTestKind(
  options: Partial<JobKind<TestJob>> & Pick<Claimed<TestJob>, 'isMoreWaiting'> & { manual?: boolean } = {},
) {
  const queue: string[] = []
  const claims: (ClaimCall & { fail(error: Error): void })[] = []
  const runs: Run[] = []
  const released: string[] = []
  const renewals: string[][] = []
  /** Ids whose lease another process has taken. */
  const lost = new Set<string>()
  let fence = 0
  const grant = (ids: string[]) => ids.map((id) => ({ id, fence: ++fence }))
  const { manual = false, isMoreWaiting, ...rest } = options
  const kind: JobKind<TestJob> = {
    name: 'test',
    slots: 2,
    leaseSeconds: 30,
    pollSeconds: 60,
    drainSeconds: 10,
    claim: (limit, { running }) => {
      const { promise, resolve, reject } = Promise.withResolvers<Claimed<TestJob>>()
      const answer = (ids: string[], nextInSeconds?: number) =>
        resolve({ jobs: grant(ids), nextInSeconds, isMoreWaiting })
      claims.push({ limit, running: running.map(({ id }) => id), answer, fail: reject })
      if (!manual) answer(queue.splice(0, limit))
      return promise
    },
    run: (job, held) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      runs.push({ job, held, finish: resolve, fail: reject })
      return promise
    },
    renew: async (jobs) => {
      renewals.push(jobs.map(({ id }) => id))
      return jobs.filter(({ id }) => !lost.has(id))
    },
    release: async (jobs) => {
      for (const { id } of jobs) released.push(id)
    },
    ...rest,
  }
  const nth =
    <T>(list: readonly T[]) =>
    (number: number) =>
      until(() => list[number - 1])
  /** `run(1)` and `claim(1)` wait for the first one. */
  return { kind, queue, claims, runs, released, renewals, lost, run: nth(runs), claim: nth(claims) }
}
