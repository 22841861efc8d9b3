import { it } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { testClock } from '#lib/time/clock.ts'
import { needs } from '#test/stores.ts'
import { expectIdOrder, openWorkers, raceClaims } from '#test/work/claim-races.ts'
import { insertRuns } from '#test/work/maintenance-runs.ts'
import { type RunDeps, runJobs } from '../runs/job.ts'
import { RUN_JOBS } from './claim.ts'
import { endRuns } from './end.ts'

const kindOf = (db: Db) =>
  runJobs({ db, clock: testClock(), apps: { hold: async () => undefined } } as unknown as RunDeps)
const make = (db: Db, count: number) => insertRuns(db, 'org_1', count, 'queued')

raceClaims('maintenance runs', {
  jobs: RUN_JOBS,
  kindOf,
  make,
  takeOver: (db) => kindOf(db).claim(1, { running: [] }),
  lookSeconds: 15,
})

needs('postgres')('switching an organization off', () => {
  it('ends its runs in the order in which renewals lock them', async () => {
    const workers = await openWorkers()
    await make(workers[0], 8)
    const { jobs } = await kindOf(workers[0]).claim(8, { running: [] })
    const claims = jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const end = (db: Db) => db.tx((tx) => endRuns(tx, { orgId: 'org_1' }, 'fenced_org_disabled'))
    await expectIdOrder(workers, { table: RUN_JOBS.table, claims }, end)
  })
})
