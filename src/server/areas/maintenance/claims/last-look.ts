import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Terminal codes of runs whose look came to a result. A run that its budget ended did not. */
export const LOOKED: readonly TerminalCode[] = [
  'found_nothing',
  'unchanged_evidence',
  'finding_recorded',
  'finding_repeat',
  'detector_only',
  'proposal_limit_day',
  'proposal_invalid',
  'proposed',
]

export type LastLook = {
  readonly terminal_code: TerminalCode
  readonly summary: string | null
  readonly fingerprint: string | null
  readonly evidence_digest: string | null
}

export async function findLastLook(db: Querier, appId: string): Promise<LastLook | undefined> {
  const [row] = await db.query<LastLook>(sql`
    select terminal_code, summary, fingerprint, evidence_digest from maintenance.runs
    where app_id = ${appId} and terminal_code = any(${LOOKED}::text[])
    order by id desc limit 1`)
  return row
}
