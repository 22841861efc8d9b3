import type { Scope } from '#contract/roles.ts'
import { audit } from '#lib/audit.ts'
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
export async function approve({ db, clock, keys }: OAuthDeps, { client, ...approval }: Approval): Promise<string> {
  const id = newId('grt')
  const at = clock.now()
  await db.tx(async (tx) => {
    await insertGrant(tx, {
      ...approval,
      id,
      client_id: client.id,
      client_name: client.name,
      document: client.document,
      epoch: keys.epoch,
      created_at: at,
      expires_at: new Date(at.getTime() + GRANT_DAYS * DAY_MS),
    })
    const { org_id, user_id: actor, scopes, redirect_host } = approval
    const detail = { client_id: client.id, client_name: client.name, redirect_host, scopes }
    await audit(tx, { org_id, actor, action: 'agent.connected', target: id, detail, at })
  })
  return id
}
