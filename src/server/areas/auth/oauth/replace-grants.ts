import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { OAuthDeps } from './deps.ts'
import { findEarlierGrants, findLiveGrant, revokeGrant } from './store/grants.ts'

/** Revokes grants that a newer grant of the same agent and user replaces. */
export async function revokeReplaced(tx: Tx, ids: readonly string[], by: { id: string; user_id: string }, at: Date) {
  for (const id of ids) {
    const ended = await revokeGrant(tx, { id, now: at })
    if (!ended) continue
    const { org_id, client_name } = ended
    const detail = { client_name, replaced_by: by.id }
    await audit(tx, { org_id, actor: by.user_id, action: 'agent.replaced', target: id, detail, at })
  }
}

/**
 * Revokes the earlier grants that this one replaces. Called when its first token is issued, so that the connected agent
 * keeps working if the new connection is never completed. Needs no lock, because of two grants always the later one
 * revokes the other. Returns how many were revoked.
 */
export async function revokeEarlierGrants(
  tx: Tx,
  { keys }: Pick<OAuthDeps, 'keys'>,
  id: string,
  at: Date,
): Promise<number> {
  const grant = await findLiveGrant(tx, id, keys.epoch, at)
  if (!grant) return 0
  const earlier = await findEarlierGrants(tx, { ...grant, epoch: keys.epoch, now: at, before: id })
  const ids = earlier.map((one) => one.id)
  await revokeReplaced(tx, ids, grant, at)
  return ids.length
}
