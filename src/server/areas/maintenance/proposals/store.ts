import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { StoredStatus } from './status.ts'
import type { Validation } from './validate-change.ts'

type ProposalRow = {
  id: string
  org_id: string
  app_id: string
  run_id: string
  fingerprint: string
  summary: string
  requested_by: string | null
  status: StoredStatus
  base_revision_id: string
  revision_id: string | null
  validation: Validation | null
  validation_notes: string[]
  invalid_reason: string | null
  decided_by: string | null
  decided_at: Date | null
  deploy_id: string | null
  ready_at: Date | null
  created_at: Date
}

const COLUMNS = sql`
  id, org_id, app_id, run_id, fingerprint, summary, requested_by, status, base_revision_id, revision_id, validation,
  validation_notes, invalid_reason, decided_by, decided_at, deploy_id, ready_at, created_at`

/** The newest proposal of a fault, whatever became of it. */
export async function findNewestOf(db: Querier, appId: string, fingerprint: string): Promise<ProposalRow | undefined> {
  const [row] = await db.query<ProposalRow>(sql`
    select ${COLUMNS} from maintenance.proposals
    where app_id = ${appId} and fingerprint = ${fingerprint}
    order by id desc limit 1`)
  return row
}

type NewProposal = Omit<ProposalRow, 'decided_by' | 'decided_at' | 'deploy_id'> & { readonly day: string }

/** Returns false if the app has a proposal of that day. */
export async function insertProposal(tx: Tx, row: NewProposal): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into maintenance.proposals
      (id, org_id, app_id, run_id, fingerprint, summary, requested_by, day, status, base_revision_id, revision_id,
       validation, validation_notes, invalid_reason, ready_at, created_at)
    values
      (${row.id}, ${row.org_id}, ${row.app_id}, ${row.run_id}, ${row.fingerprint}, ${row.summary}, ${row.requested_by},
       ${row.day}, ${row.status}, ${row.base_revision_id}, ${row.revision_id}, ${row.validation},
       ${row.validation_notes}::text[], ${row.invalid_reason}, ${row.ready_at}, ${row.created_at})
    on conflict (app_id, day) do nothing
    returning id`)
  return rows.length > 0
}
