import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { RunStatus } from '#contract/maintenance/runs.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type RunRow = {
  id: string
  mode: 'nightly' | 'manual'
  model: string
  requested_by: string | null
  status: RunStatus
  terminal_code: TerminalCode | null
  tokens_spent: number
  summary: string | null
  fingerprint: string | null
  proposal_id: string | null
  created_at: Date
  ended_at: Date | null
  evidence: { kind: string; reference: string; sha256: string; bytes: number }[]
}

const COLUMNS = sql`
  id, mode, model, requested_by, status, terminal_code, tokens_spent, summary, fingerprint, proposal_id, created_at,
  ended_at, coalesce((
    select json_agg(json_build_object('kind', kind, 'reference', reference, 'sha256', sha256, 'bytes', bytes) order by n)
    from maintenance.evidence where run_id = run.id), '[]') as evidence`

/** Newest first, one row more than `limit`. */
export async function pageRuns(db: Querier, page: { appId: string; after: string | null; limit: number }) {
  return db.query<RunRow>(sql`
    select ${COLUMNS} from maintenance.runs run
    where app_id = ${page.appId} and (${page.after}::text is null or id < ${page.after})
    order by id desc limit ${page.limit + 1}`)
}

export async function findRun(db: Querier, appId: string, id: string): Promise<RunRow | undefined> {
  const [row] = await db.query<RunRow>(sql`
    select ${COLUMNS} from maintenance.runs run where app_id = ${appId} and id = ${id}`)
  return row
}
