import type { Scope } from '#contract/core/roles.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { OAuthClient } from './client.ts'
import { DAY_MS, GRANT_DAYS, type OAuthDeps } from './deps.ts'
import { revokeReplaced } from './replace-grants.ts'
import { countForPerson, lockRegistrations } from './store/clients.ts'
import { countApprovedAgents, findEarlierGrants, insertGrant } from './store/grants.ts'

type Approval = {
  client: OAuthClient
  org_id: string
  user_id: string
  redirect_host: string
  resource: string
  scopes: readonly Scope[]
}

/**
 * Maximum number of self-registered agents that one user can have connected, because all users share 100 registrations.
 */
const MAX_AGENTS_PER_PERSON = 10
/** Maximum number of the five registrations of an https origin that one user may use. */
const MAX_OF_ORIGIN_PER_PERSON = 2

/** Thrown if the user has too many agents connected. The message is shown on the consent page. */
export class ApprovalRefused extends Error {
  override readonly name = 'ApprovalRefused'
}

/**
 * Records that a user allows an agent to act for them. An earlier grant of the same agent and user is revoked now if no
 * token was ever issued for it, otherwise when the first token of the new grant is issued. Returns the grant's id, or
 * undefined if the client's registration is gone since the consent page was shown. Throws ApprovalRefused if the user
 * has too many agents connected.
 */
export async function approve(
  tx: Tx,
  { keys }: Pick<OAuthDeps, 'keys'>,
  { client, ...approval }: Approval,
  at: Date,
): Promise<string | undefined> {
  // Without the lock a concurrent registration could evict this client, or two grants of one agent could both stay.
  await lockRegistrations(tx)
  if (!client.document && !(await countForPerson(tx, client.id, approval.user_id, at))) return undefined
  const id = newId('grt')
  const asking = { ...approval, client_id: client.id, epoch: keys.epoch, now: at }
  const earlier = await findEarlierGrants(tx, asking)
  if (client.expiresAt) await refuseTooMany(tx, asking, idsOf(earlier))
  const neverUsed = earlier.filter(({ has_token }) => !has_token)
  await revokeReplaced(tx, idsOf(neverUsed), { id, user_id: approval.user_id }, at)
  await insertGrant(tx, {
    ...approval,
    id,
    client_id: client.id,
    client_name: client.name,
    document: client.document,
    epoch: keys.epoch,
    created_at: at,
    expires_at: grantExpiry(client, at),
  })
  const { org_id, user_id: actor, scopes, redirect_host } = approval
  const detail = { client_id: client.id, client_name: client.name, redirect_host, scopes }
  await audit(tx, { org_id, actor, action: 'agent.connected', target: id, detail, at })
  return id
}

const idsOf = (grants: readonly { id: string }[]) => grants.map(({ id }) => id)

type Asking = { client_id: string; user_id: string; redirect_host: string; epoch: string; now: Date }

async function refuseTooMany(tx: Tx, asking: Asking, ending: readonly string[]): Promise<void> {
  const { total, of_origin } = await countApprovedAgents(tx, { ...asking, ending })
  const toDo =
    'Disconnect an agent that you no longer use (svc agents list, svc agents disconnect), then approve again.'
  if (of_origin >= MAX_OF_ORIGIN_PER_PERSON) {
    throw new ApprovalRefused(
      `You have reached the limit of ${of_origin} connected agents that redirect to ${asking.redirect_host}. ${toDo}`,
    )
  }
  if (total >= MAX_AGENTS_PER_PERSON) {
    throw new ApprovalRefused(
      `You have reached the limit of ${total} connected agents that registered themselves. ${toDo}`,
    )
  }
}

/** Returns when a grant ends: after ninety days, or with the client's registration if that is earlier. */
export function grantExpiry({ expiresAt }: OAuthClient, now: Date): Date {
  const latest = now.getTime() + GRANT_DAYS * DAY_MS
  return new Date(Math.min(latest, expiresAt?.getTime() ?? latest))
}
