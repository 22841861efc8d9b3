import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import { refuseGrant, revokeGrant } from './store/grants.ts'

type Of = { readonly id: string; readonly org_id?: string; readonly user_id?: string }

/** Ends one connection for a person, who may be another than the one who made it. Returns false if it had ended. */
export async function endConnection(
  tx: Tx,
  of: Of,
  by: { readonly actor: string; readonly user_id: string | null },
  at: Date,
): Promise<boolean> {
  const grant = await revokeGrant(tx, { ...of, now: at })
  if (!grant) return false
  if (grant.vouched_by !== null) await refuseGrant(tx, of.id, by.user_id ?? by.actor)
  const action = grant.user_id === by.user_id ? 'agent.disconnected' : 'agent.revoked'
  const detail = { client_name: grant.client_name, user_id: grant.user_id }
  await audit(tx, { org_id: grant.org_id, actor: by.actor, action, target: of.id, detail, at })
  return true
}
