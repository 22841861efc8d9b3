import { newId } from '#edge/ids.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from './model/deps.ts'
import { makeToken } from './model/token-format.ts'
import { makeOrg } from './orgs/make-org.ts'
import { findOrg } from './store/orgs.ts'
import { ensureMember, ensureUser } from './store/people.ts'
import { insertToken } from './store/tokens.ts'

/**
 * The ids and secrets of the first account, chosen before anything is written, so that a killed start resumes with the
 * same ones.
 */
export type FirstAccount = { org_id: string; owner_email: string; api_key: string }

export function chooseFirstAccount(): FirstAccount {
  return { org_id: newId('org'), owner_email: 'owner@example.com', api_key: makeToken() }
}

/** Creates the first organization, its owner and their API key. Does nothing if the organization exists. */
export async function makeFirstAccount(
  { db, clock, keys }: Pick<AuthDeps, 'db' | 'clock' | 'keys'>,
  account: FirstAccount,
): Promise<void> {
  const now = clock.now()
  await db.tx(async (tx) => {
    if (await findOrg(tx, account.org_id)) return
    const org = await makeOrg(tx, 'My organization', now, account.org_id)
    const user = await ensureUser(tx, { id: newId('usr'), email: account.owner_email, name: 'Owner', created_at: now })
    await ensureMember(tx, { org_id: org.id, user_id: user.id, role: 'owner', created_at: now })
    const token = {
      id: newId('tok'),
      org_id: org.id,
      user_id: user.id,
      name: 'first run',
      created_at: now,
      expires_at: null,
    }
    await insertToken(tx, { ...token, hash: keys.hash('api_token', account.api_key), epoch: keys.epoch })
    await audit(tx, { org_id: org.id, actor: 'operator', action: 'org.created', target: org.id, at: now })
  })
}
