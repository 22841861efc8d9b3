import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { RUNS_CHANNEL, VALIDATE_CHANNEL } from './channels.ts'

type Which = { orgId: string } | { appId: string }

/**
 * Ends every live run of the organization or app. A run that was not claimed yet never began, so it is cancelled. Workers
 * are notified with the execution id, so that the one that works at it stops at once. So are those that validate a
 * proposal again.
 */
export async function endRuns(tx: Tx, which: Which, code: TerminalCode): Promise<void> {
  const scope = 'orgId' in which ? sql`org_id = ${which.orgId}` : sql`app_id = ${which.appId}`
  await tx.query(sql`
    with ended as (
      update maintenance.runs
      set status = 'ended', ended_at = now(),
        terminal_code = case when status = 'queued' then 'cancelled_disabled' else ${code} end
      where ${scope} and status <> 'ended'
      returning id)
    select pg_notify(${RUNS_CHANNEL}, id) from ended`)
  await revokeValidations(tx, scope)
}

/** A validation that a person asked for begins again, and runs nothing of the app then. */
async function revokeValidations(tx: Tx, scope: Sql): Promise<void> {
  await tx.query(sql`
    with revoked as (
      update maintenance.proposals set fence = null, lease_until = null
      where ${scope} and status = 'validating' and lease_until is not null
      returning id)
    select pg_notify(${VALIDATE_CHANNEL}, id) from revoked`)
}
