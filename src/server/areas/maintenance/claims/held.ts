import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import type { RunClaim } from './token.ts'

export type HeldRun = {
  id: string
  org_id: string
  app_id: string
  model: string
  requested_by: string | null
  due_by: string | null
  /** The revision that was live when it began. Null before that, and for an app that was never deployed. */
  revision_id: string | null
}

/** Returns undefined if the claim does not stand any more: the run ended, its lease ran out, or it was claimed again. */
export async function findHeldRun(db: Querier, { id, fence }: RunClaim, lock = sql``): Promise<HeldRun | undefined> {
  const [row] = await db.query<HeldRun>(sql`
    select id, org_id, app_id, model, requested_by, due_by, revision_id from maintenance.runs
    where id = ${id} and fence = ${fence} and status in ('running', 'validating') and lease_until > clock_timestamp()
    ${lock}`)
  return row
}

/**
 * As `findHeldRun`, and holds off whoever would end the run until the transaction ends. All that a run writes is written
 * after this in the same transaction, so that nothing is written once the agent was switched off.
 */
export function holdRun(tx: Tx, claim: RunClaim): Promise<HeldRun | undefined> {
  return findHeldRun(tx, claim, sql`for no key update`)
}
