import type { Principal } from '#contract/core/principal.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

export type AuditEntry = {
  /** Null when the action concerns no organization. */
  org_id: string | null
  /** Id of the caller who did it, or `operator`. */
  actor: string
  /** Noun and verb in the past tense, such as `org.created`. */
  action: string
  target: string
  detail?: Record<string, unknown>
  at: Date
}

/** Records who changed what, in the transaction of the change. */
export async function audit(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx.query(sql`
    insert into svc.audit (id, org_id, actor, action, target, detail, at)
    values (${newId('aud')}, ${entry.org_id}, ${entry.actor}, ${entry.action}, ${entry.target},
            ${JSON.stringify(entry.detail ?? {})}, ${entry.at})`)
}

/** Records a change that a caller made in the organization it acts in. */
export function auditBy(
  tx: Tx,
  principal: Pick<Principal, 'id' | 'org_id' | 'support'>,
  change: Omit<AuditEntry, 'org_id' | 'actor'>,
): Promise<void> {
  return audit(tx, { org_id: principal.org_id, actor: actorOf(principal), ...change })
}
