import { hash } from 'node:crypto'
import type { Principal } from '#contract/core/principal.ts'
import { invalidToken } from '#edge/credentials/caller.ts'
import type { Db, Querier } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { findHeldRun, type HeldRun, holdRun } from '../claims/held.ts'
import type { RunClaim } from '../claims/token.ts'

type Read = {
  readonly kind: 'logs' | 'source' | 'checks' | 'findings'
  readonly reference: string
  readonly data: unknown
}

/** A run that calls a tool. `fence` is that of its claim. */
export type CallingRun = HeldRun & RunClaim

/** Returns the run that calls. Throws if it does not hold its app any more. */
export async function requireRun(db: Querier, principal: Principal): Promise<CallingRun> {
  const claim = claimOf(principal)
  const run = await findHeldRun(db, claim)
  if (!run) throw invalidToken()
  return { ...run, ...claim }
}

/** The resolver of runs puts the fence behind the id. */
function claimOf({ id }: Principal): RunClaim {
  const [runId, fence] = id.split('.')
  return { id: runId!, fence: Number(fence) }
}

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
    const [row] = await tx.query<{ n: number }>(sql`
      insert into maintenance.evidence (run_id, n, kind, reference, sha256, bytes)
      select ${claim.id}, coalesce(max(n), 0) + 1, ${kind}, ${reference}, ${hash('sha256', text)},
        ${Buffer.byteLength(text)}
      from maintenance.evidence where run_id = ${claim.id}
      returning n`)
    return row!.n
  })
}

/** Deletes up to `limit` rows of runs with an id below `beforeId`. Returns how many. */
export async function deleteOldEvidence(db: Querier, beforeId: string, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from maintenance.evidence where (run_id, n) in (
      select run_id, n from maintenance.evidence where run_id < ${beforeId} limit ${limit})
    returning n`)
  return rows.length
}
