import { validateToken } from '#contract/auth.ts'
import type { Audience, Principal } from '#contract/principal.ts'
import { invalidToken } from '#edge/caller.ts'
import { type Route, route } from '#edge/route.ts'
import { hmac } from '#lib/keys.ts'
import type { AuthDeps } from './deps.ts'
import { findLiveToken } from './store.ts'
import { isToken } from './token-format.ts'

export type Validate = (token: string, audience: Audience) => Promise<Principal>

/** Who a token stands for; every refusal is the same. */
export function createValidate({ db, clock, keys }: AuthDeps): Validate {
  return async (token) => {
    if (!isToken(token)) throw invalidToken()
    const row = await findLiveToken(db, hmac(keys.apiToken, token), keys.epoch, clock.now())
    if (!row) throw invalidToken()
    const { id, org_id, user_id, role, expires_at } = row
    return { kind: 'api_token', id, user_id, org_id, role, scopes: [], expires_at: expires_at?.toISOString() ?? null }
  }
}

export function validateRoute(validate: Validate): Route {
  return route(validateToken, async ({ token, audience }) => ({ principal: await validate(token, audience) }))
}
