import type { Scope } from '#contract/core/roles.ts'
import { audit } from '#edge/audit.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import type { OAuthClient } from './client.ts'
import { DAY_MS, GRANT_DAYS, type OAuthDeps } from './deps.ts'
import { endReplaced } from './replace.ts'
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

/** How many agents that registered themselves one person can have connected, because all people share 100 places. */
const MAX_AGENTS_PER_PERSON = 10
/** How many of the five places of an https origin one person may hold. */
const MAX_OF_ORIGIN_PER_PERSON = 2

/** The person has too many agents connected. The message is shown on the consent page. */
export class ApprovalRefused extends Error {
  override readonly name = 'ApprovalRefused'
}

/**
 * Records what a person allows an agent. An earlier approval of the same agent by that person ends now if no token was
 * ever issued for it, otherwise when the first token of the new one is issued. Answers the grant's id; undefined when the client's registration is gone since the consent page was shown. Throws
 * ApprovalRefused when the person has too many agents connected.
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
  const asking = { ...approval, client_id: client.id, epoch: keys.epoch, now: at }
  const earlier = await findEarlierGrants(tx, asking)
  if (client.expiresAt) await refuseTooMany(tx, asking, idsOf(earlier))
  const neverUsed = earlier.filter(({ has_token }) => !has_token)
  await endReplaced(tx, idsOf(neverUsed), { id, user_id: approval.user_id }, at)
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

const idsOf = (grants: readonly { id: string }[]) => grants.map(({ id }) => id)

type Asking = { client_id: string; user_id: string; redirect_host: string; epoch: string; now: Date }

async function refuseTooMany(tx: Tx, asking: Asking, ending: readonly string[]): Promise<void> {
  const { total, of_origin } = await countApprovedAgents(tx, { ...asking, ending })
  const toDo = 'Disconnect one that you no longer use (svc agents list, svc agents disconnect), then approve again.'
  if (of_origin >= MAX_OF_ORIGIN_PER_PERSON) {
    throw new ApprovalRefused(
      `You have ${of_origin} agents connected that send you back to ${asking.redirect_host}, and no more are allowed. ${toDo}`,
    )
  }
  if (total >= MAX_AGENTS_PER_PERSON) {
    throw new ApprovalRefused(
      `You have ${total} agents connected that registered themselves, and no more are allowed. ${toDo}`,
    )
  }
}

/** Ninety days, but no later than the registration of the client. */
export function grantEnd({ expiresAt }: OAuthClient, now: Date): Date {
  const longest = now.getTime() + GRANT_DAYS * DAY_MS
  return new Date(Math.min(longest, expiresAt?.getTime() ?? longest))
}
