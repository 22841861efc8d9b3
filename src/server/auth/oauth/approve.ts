import type { Scope } from '#contract/roles.ts'
import { audit } from '#lib/audit.ts'
import type { Tx } from '#lib/db/db.ts'
import { newId } from '#lib/ids.ts'
import type { OAuthClient } from './client.ts'
import { DAY_MS, GRANT_DAYS, type OAuthDeps } from './deps.ts'
import { insertGrant } from './store/grants.ts'

type Approval = {
  client: OAuthClient
  org_id: string
  user_id: string
  redirect_host: string
  resource: string
  scopes: readonly Scope[]
}

/** Writes down what a person allows. Answers the grant's id. */
export async function approve(
  tx: Tx,
  { keys }: Pick<OAuthDeps, 'keys'>,
  { client, ...approval }: Approval,
  at: Date,
): Promise<string> {
  const id = newId('grt')
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

/** No later than the client itself. */
export function grantEnd({ expiresAt }: OAuthClient, now: Date): Date {
  const longest = now.getTime() + GRANT_DAYS * DAY_MS
  return new Date(Math.min(longest, expiresAt?.getTime() ?? longest))
}
