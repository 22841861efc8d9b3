import type { Audience, Principal } from '#contract/core/principal.ts'
import { ASSERTION_SECONDS, createAssertionReader } from '#edge/credentials/actor-assertion.ts'
import { gather } from '#lib/work/gather.ts'
import type { OAuthDeps } from './deps.ts'
import { findLiveGrants, touchGrant } from './store/grants.ts'

/** Returns 'refused' for an assertion of our MCP server that is not accepted, undefined for any other token. */
export type ValidateAssertion = (token: string, audience: Audience) => Promise<Principal | 'refused' | undefined>

const TOUCH_AFTER_MS = 60_000
/** Longer than any assertion is valid, also with clocks that differ by up to 30 s. */
const REPLAY_MEMORY_SECONDS = ASSERTION_SECONDS + 30

/** Checks the MCP server's assertion about an agent against the user's grant, at every call. */
export function createAssertionValidator(deps: OAuthDeps): ValidateAssertion {
  const { db, clock, keys, kv } = deps
  const read = createAssertionReader(deps.actorAssertionSecret, clock)
  // Each call's grant is read after the call arrived, so that a call after a revocation never gets an earlier answer.
  const findGrant = gather(async (ids: readonly string[]) => {
    const grants = await findLiveGrants(db, ids, keys.epoch, clock.now())
    const byId = new Map(grants.map((grant) => [grant.id, grant]))
    return ids.map((id) => byId.get(id))
  })
  return async (token, audience) => {
    const assertion = read(token, audience)
    if (!assertion) return undefined
    const now = clock.now()
    const [isFirst, grant] = await Promise.all([
      kv.setOnce(`assertion:${assertion.id}`, REPLAY_MEMORY_SECONDS),
      findGrant(assertion.grantId),
    ])
    if (!isFirst) return 'refused'
    if (!grant || grant.user_id !== assertion.userId || grant.client_id !== assertion.clientId) return 'refused'
    if (now.getTime() - (grant.last_used_at?.getTime() ?? 0) > TOUCH_AFTER_MS) await touchGrant(db, grant.id, now)
    return {
      kind: 'agent',
      id: grant.id,
      user_id: grant.user_id,
      org_id: grant.org_id,
      role: grant.role,
      scopes: grant.scopes.filter((scope) => assertion.scopes.includes(scope)),
      client_id: grant.client_id,
      expires_at: grant.expires_at.toISOString(),
    }
  }
}
