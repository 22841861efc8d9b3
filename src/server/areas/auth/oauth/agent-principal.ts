import type { Audience, Principal } from '#contract/core/principal.ts'
import { ASSERTION_SECONDS, createAssertionReader } from '#edge/credentials/actor-assertion.ts'
import type { OAuthDeps } from './deps.ts'
import { findLiveGrant, touchGrant } from './store/grants.ts'

/** `refused`: the MCP server did say it, so nobody is guessing. Undefined: it is nothing the MCP server said. */
export type ValidateAssertion = (token: string, audience: Audience) => Promise<Principal | 'refused' | undefined>

const TOUCH_AFTER_MS = 60_000
/** Longer than any assertion is believed, by whichever clock. */
const KEPT_SECONDS = ASSERTION_SECONDS + 30

/** What the MCP server says of an agent, checked against what the person allowed, at every call. */
export function createAssertionValidator(deps: OAuthDeps): ValidateAssertion {
  const { db, clock, keys, kv } = deps
  const read = createAssertionReader(deps.actorAssertionSecret, clock)
  return async (token, audience) => {
    const said = read(token, audience)
    if (!said) return undefined
    const now = clock.now()
    const [isFirst, grant] = await Promise.all([
      kv.setOnce(`assertion:${said.id}`, KEPT_SECONDS),
      findLiveGrant(db, said.grantId, keys.epoch, now),
    ])
    if (!isFirst) return 'refused'
    if (!grant || grant.user_id !== said.userId || grant.client_id !== said.clientId) return 'refused'
    if (now.getTime() - (grant.last_used_at?.getTime() ?? 0) > TOUCH_AFTER_MS) await touchGrant(db, grant.id, now)
    return {
      kind: 'agent',
      id: grant.id,
      user_id: grant.user_id,
      org_id: grant.org_id,
      role: grant.role,
      scopes: grant.scopes.filter((scope) => said.scopes.includes(scope)),
      client_id: grant.client_id,
      expires_at: grant.expires_at.toISOString(),
    }
  }
}
