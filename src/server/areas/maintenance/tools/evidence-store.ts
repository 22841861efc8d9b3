import { hash } from 'node:crypto'
import { invalidToken } from '#edge/credentials/caller.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { holdRun } from '../claims/held.ts'
import type { RunClaim } from '../claims/token.ts'

type Read = {
  readonly kind: 'logs' | 'source' | 'checks' | 'findings' | 'history'
  readonly reference: string
  readonly data: unknown
}

/** The number of what only the detectors read, once a run. Models cite what they read, which begins with 1. */
const UNCITED = 0

/**
 * Records what a run is about to be given: its size and digest, never the text. Throws if the run does not hold its app
 * any more, so that what was read meanwhile is not handed out.
 */
export async function recordEvidence(
  db: Pick<Db, 'tx'>,
  claim: RunClaim,
  { kind, reference, data }: Read,
): Promise<number> {
  const text = JSON.stringify(data)
  return db.tx(async (tx) => {
    if (!(await holdRun(tx, claim))) throw invalidToken()
    const next = sql`(select coalesce(max(n), 0) + 1 from maintenance.evidence where run_id = ${claim.id})`
    const [row] = await tx.query<{ n: number }>(sql`
      insert into maintenance.evidence (run_id, n, kind, reference, sha256, bytes)
      values (${claim.id}, ${kind === 'history' ? UNCITED : next}, ${kind}, ${reference}, ${hash('sha256', text)},
        ${Buffer.byteLength(text)})
      on conflict (run_id, n) do update
      set reference = excluded.reference, sha256 = excluded.sha256, bytes = excluded.bytes
      returning n`)
    return row!.n
  })
}
