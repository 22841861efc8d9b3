import type { Scope } from '#contract/core/roles.ts'
import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { OAuthClient } from '../clients/client.ts'
import { DAY_MS, GRANT_DAYS, type OAuthDeps } from '../deps.ts'
import { countForPerson, lockRegistrations } from '../store/clients.ts'
import { insertGrant } from '../store/grants.ts'
import { endAbandoned, findPlaces } from './make-place.ts'
import { type Full, MAX_OF_ORIGIN, MAX_REGISTRATIONS } from './place-rule.ts'

type Approval = {
  client: OAuthClient
  org_id: string
  user_id: string
  redirect_host: string
  resource: string
  scopes: readonly Scope[]
  connected_from: string
  connected_with: string | null
}

/** Thrown if the user has too many agents connected. The message is shown on the consent page. */
export class ApprovalRefused extends Error {
  override readonly name = 'ApprovalRefused'
}

/**
 * Records that a user allows an agent to act for them: a connection of its own, beside those of the user's other
 * computers. What it takes the place of ends when its first token is issued. Returns the grant's id, or undefined if the
 * client's registration is gone since the consent page was shown. Throws ApprovalRefused if the user has too many agents
 * connected.
 */
export async function approve(
  tx: Tx,
  { keys }: Pick<OAuthDeps, 'keys'>,
  { client, ...approval }: Approval,
  at: Date,
): Promise<string | undefined> {
  // Without the lock a concurrent registration could evict this client.
  await lockRegistrations(tx)
  if (!client.document && !(await countForPerson(tx, client.id, approval.user_id, at))) return undefined
  const id = newId('grt')
  const isRegistered = client.expiresAt !== undefined
  const asking = { ...approval, client_id: client.id, isRegistered, epoch: keys.epoch, now: at }
  await endAbandoned(tx, asking, id)
  const { ending } = await findPlaces(tx, asking)
  if (typeof ending === 'string') throw new ApprovalRefused(fullText(ending, approval.redirect_host))
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

function fullText(full: Full, redirectHost: string): string {
  const limit =
    full === 'origin'
      ? `${MAX_OF_ORIGIN} connected agents that redirect to ${redirectHost}`
      : `${MAX_REGISTRATIONS} connected agents that registered themselves`
  return (
    `You have reached the limit of ${limit}. ` +
    'Disconnect an agent that you no longer use (svc agents list, svc agents disconnect), then approve again.'
  )
}

/** Returns when a grant ends: after ninety days, or with the client's registration if that is earlier. */
export function grantExpiry({ expiresAt }: OAuthClient, now: Date): Date {
  const latest = now.getTime() + GRANT_DAYS * DAY_MS
  return new Date(Math.min(latest, expiresAt?.getTime() ?? latest))
}
