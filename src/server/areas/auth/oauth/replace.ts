import { audit } from '#edge/audit.ts'
import type { Tx } from '#lib/db/db.ts'
import type { OAuthDeps } from './deps.ts'
import { findEarlierGrants, findLiveGrant, revokeGrant } from './store/grants.ts'

/** Ends approvals that a newer approval of the same agent by the same person replaces. */
export async function endReplaced(tx: Tx, ids: readonly string[], by: { id: string; user_id: string }, at: Date) {
  for (const id of ids) {
    const ended = await revokeGrant(tx, { id, now: at })
    if (!ended) continue
    const { org_id, client_name } = ended
    const detail = { client_name, replaced_by: by.id }
    await audit(tx, { org_id, actor: by.user_id, action: 'agent.replaced', target: id, detail, at })
  }
}

/**
 * Ends the approvals that came before this one, when its first token is issued: until then the agent that is connected
 * goes on, also when the new connection is never completed. Needs no lock, because of two approvals always the one that
 * was made later ends the other. Answers how many were ended.
 */
export async function endEarlierThan(tx: Tx, { keys }: Pick<OAuthDeps, 'keys'>, id: string, at: Date): Promise<number> {
  const grant = await findLiveGrant(tx, id, keys.epoch, at)
  if (!grant) return 0
  const earlier = await findEarlierGrants(tx, { ...grant, epoch: keys.epoch, now: at, before: id })
  const ids = earlier.map((one) => one.id)
  await endReplaced(tx, ids, grant, at)
  return ids.length
}
