import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { RUNS_CHANNEL, VALIDATE_CHANNEL } from './channels.ts'

type Which = { orgId: string } | { appId: string }

/**
 * Ends every live run of the organization or app. A run that was not claimed yet never began, so it is cancelled. Workers
 * are notified with the execution id, so that the one that works at it stops at once. So are those that validate a
 * proposal again. Rows are locked in the order of their ids, as renewals lock them. Staged edits go with their run, because
 * it will propose nothing.
 */
export async function endRuns(tx: Tx, which: Which, code: TerminalCode): Promise<void> {
  const scope = 'orgId' in which ? sql`org_id = ${which.orgId}` : sql`app_id = ${which.appId}`
  await tx.query(sql`
    with live as (
      select id from maintenance.runs where ${scope} and status <> 'ended' order by id for no key update
    ), ended as (
      update maintenance.runs run
      set status = 'ended', ended_at = now(),
        terminal_code = case when status = 'queued' then 'cancelled_disabled' else ${code} end
      from live where run.id = live.id
      returning run.id
    ), dropped as (
      delete from maintenance.edits edit using ended where edit.run_id = ended.id)
    select pg_notify(${RUNS_CHANNEL}, id) from ended`)
  await revokeValidations(tx, scope)
}

/** A validation that a person asked for begins again, and runs nothing of the app then. */
async function revokeValidations(tx: Tx, scope: Sql): Promise<void> {
  await tx.query(sql`
    with validated as (
      select id from maintenance.proposals
      where ${scope} and status = 'validating' and lease_until is not null
      order by id for no key update
    ), revoked as (
      update maintenance.proposals proposal set fence = null, lease_until = null
      from validated where proposal.id = validated.id
      returning proposal.id)
    select pg_notify(${VALIDATE_CHANNEL}, id) from revoked`)
}
