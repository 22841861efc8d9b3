import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { systemClock } from '#lib/time/clock.ts'
import { raceClaims } from '#test/work/claim-races.ts'
import { type RunDeps, runJobs } from './jobs.ts'
import { queueRuns, RUN_JOBS } from './runs-store.ts'

const kindOf = (db: Db) =>
  runJobs(
    {
      db,
      clock: systemClock,
      probe: { hostedElsewhere: async () => new Set(), restarts: async () => new Map() },
    } as unknown as RunDeps,
    'other',
  )

raceClaims('runs of checks', {
  jobs: RUN_JOBS,
  kindOf,
  make: (db, count) =>
    db.tx((tx) =>
      queueRuns(
        tx,
        Array.from({ length: count }, () => ({
          id: newId('ckr'),
          check_id: newId('chk'),
          org_id: 'org_1',
          app_id: 'app_1',
          trigger: 'manual' as const,
          slot: null,
          requested_by: null,
          created_at: new Date(),
        })),
      ),
    ),
  takeOver: (db) => kindOf(db).claim(100, { running: [] }),
  lookSeconds: 15,
})
