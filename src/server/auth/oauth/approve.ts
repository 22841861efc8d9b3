import type { Scope } from '#contract/roles.ts'
import { audit } from '#lib/audit.ts'
import type { Tx } from '#lib/db/db.ts'
import { newId } from '#lib/ids.ts'
import type { OAuthClient } from './client.ts'
import { DAY_MS, GRANT_DAYS, type OAuthDeps } from './deps.ts'
import { countForPerson, lockRegistrations } from './store/clients.ts'
import { findEarlierGrants, insertGrant, revokeGrant } from './store/grants.ts'

type Approval = {
  client: OAuthClient
  org_id: string
  user_id: string
  redirect_host: string
  resource: string
  scopes: readonly Scope[]
}

/**
 * Records what a person allows an agent, and ends that person's earlier approval of the same agent, if there is one.
 * Answers the grant's id; undefined when the client's registration is gone since the consent page was shown.
 */
export async function approve(
  tx: Tx,
  { keys }: Pick<OAuthDeps, 'keys'>,
  { client, ...approval }: Approval,
  at: Date,
): Promise<string | undefined> {
  // Otherwise a registration could make room for another, or two approvals of one agent both stay, at this moment.
  await lockRegistrations(tx)
  if (!client.document && !(await countForPerson(tx, client.id, approval.user_id, at))) return undefined
  const id = newId('grt')
  await endEarlier(tx, keys.epoch, { ...approval, client_id: client.id }, { id, at })
  await insertGrant(tx, {
    ...approval,
    id,
    client_id: client.id,
    client_name: client.name,
    document: client.document,
    epoch: keys.epoch,
    created_at: at,
    expires_at: grantEnd(client, at),
  })
  const { org_id, user_id: actor, scopes, redirect_host } = approval
  const detail = { client_id: client.id, client_name: client.name, redirect_host, scopes }
  await audit(tx, { org_id, actor, action: 'agent.connected', target: id, detail, at })
  return id
}

async function endEarlier(
  tx: Tx,
  epoch: string,
  of: { client_id: string; user_id: string; resource: string },
  next: { id: string; at: Date },
): Promise<void> {
  for (const id of await findEarlierGrants(tx, { ...of, epoch, now: next.at })) {
    const ended = await revokeGrant(tx, { id, now: next.at })
    if (!ended) continue
    const { org_id, client_name } = ended
    const detail = { client_name, replaced_by: next.id }
    await audit(tx, { org_id, actor: of.user_id, action: 'agent.replaced', target: id, detail, at: next.at })
  }
}

/** Ninety days, but no later than the registration of the client. */
export function grantEnd({ expiresAt }: OAuthClient, now: Date): Date {
  const longest = now.getTime() + GRANT_DAYS * DAY_MS
  return new Date(Math.min(longest, expiresAt?.getTime() ?? longest))
}
