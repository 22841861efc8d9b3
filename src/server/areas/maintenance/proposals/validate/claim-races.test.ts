import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { raceClaims } from '#test/work/claim-races.ts'
import { insertRuns } from '#test/work/maintenance-runs.ts'
import { revalidateJobs, VALIDATION_JOBS } from './revalidate.ts'

const kindOf = (db: Db) => revalidateJobs({ db } as Parameters<typeof revalidateJobs>[0])

raceClaims('validations of proposals', {
  jobs: VALIDATION_JOBS,
  kindOf,
  async make(db, count) {
    const runs = await insertRuns(db, 'org_1', count, 'ended')
    await db.query(sql`
      insert into maintenance.proposals
        (id, org_id, app_id, run_id, fingerprint, summary, day, status, base_revision_id, created_at)
      select proposal.id, run.org_id, run.app_id, run.id, 'f', 's', now(), 'validating', 'rev_1', now()
      from unnest(${runs.map(() => newId('pr'))}::text[], ${runs}::text[]) as proposal (id, run_id)
      join maintenance.runs run on run.id = run_id`)
  },
  takeOver: (db) => kindOf(db).claim(100, { running: [] }),
  lookSeconds: 15,
})
