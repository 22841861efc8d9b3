import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { newId } from './ids.ts'

export type AuditEntry = {
  /** Null for what concerns no organization. */
  org_id: string | null
  /** Who did it: an id, or `operator`. */
  actor: string
  /** `noun.verb`, in the past: `org.created`. */
  action: string
  target: string
  detail?: Record<string, unknown>
  at: Date
}

/** Who changed what, written with the change itself. */
export async function audit(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx.query(sql`
    insert into svc.audit (id, org_id, actor, action, target, detail, at)
    values (${newId('aud')}, ${entry.org_id}, ${entry.actor}, ${entry.action}, ${entry.target},
            ${JSON.stringify(entry.detail ?? {})}, ${entry.at})`)
}
