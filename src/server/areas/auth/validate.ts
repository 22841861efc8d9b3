import { validateToken } from '#contract/auth/auth.ts'
import type { Audience, Principal } from '#contract/core/principal.ts'
import { ACCESS_TOKEN_TYPE } from '#edge/credentials/access-token.ts'
import { ASSERTION_TYPE } from '#edge/credentials/actor-assertion.ts'
import { invalidToken } from '#edge/credentials/caller.ts'
import { WORKLOAD_TOKEN_TYPE } from '#edge/credentials/workload-token.ts'
import type { CountFailure } from '#edge/limits/rate-limit.ts'
import { type Route, route } from '#edge/route/route.ts'
import { jwtType } from '#lib/crypto/jwt-type.ts'
import type { AuthDeps } from './model/deps.ts'
import { kindOfToken } from './model/token-format.ts'
import type { ValidateAssertion } from './oauth/index.ts'
import { liveSession } from './sessions/sessions.ts'
import { readUserJwt, USER_JWT_TYPE } from './sessions/user-jwt.ts'
import { findLiveSupport } from './store/support.ts'
import { findLiveToken, touchToken } from './store/tokens.ts'

export type Validate = (token: string, audience: Audience, clientAddress: string) => Promise<Principal>

/** Returns undefined if the token is not valid. Throws UNAVAILABLE if that cannot be checked at the moment. */
export type ValidateWorkload = (token: string, clientAddress: string) => Promise<Principal | undefined>

/** Returns undefined if the token of an app that svc runs itself is not valid. */
export type ValidateHosted = (token: string) => Promise<Principal | undefined>

type Deps = AuthDeps & {
  workload: ValidateWorkload | undefined
  hostedWorkload: ValidateHosted | undefined
  assertion: ValidateAssertion | undefined
  countFailure: CountFailure
}

/**
 * Resolves a token to its principal. Every refusal has the same error. The token is looked up first and only refused
 * tokens count towards the failure limit, per end client's address, whichever service passed the token on.
 */
export function createValidate(deps: Deps): Validate {
  return async (token, audience, clientAddress) => {
    const agent = await findAgent(deps, token, audience)
    // The assertion was signed by our MCP server, so this is no guessing: a disconnected agent that retries is not
    // counted.
    if (agent === 'refused') throw invalidToken()
    const principal = agent ?? (await find(deps, token, clientAddress))
    if (principal) return principal
    await deps.countFailure(clientAddress)
    throw invalidToken()
  }
}

async function findAgent(deps: Deps, token: string, audience: Audience) {
  return deps.assertion && jwtType(token) === ASSERTION_TYPE ? deps.assertion(token, audience) : undefined
}

/**
 * Looks the token up with one indexed read by keyed hash. Wrong checksums and signatures are refused without the
 * database.
 */
async function find(deps: Deps, token: string, clientAddress: string): Promise<Principal | undefined> {
  switch (kindOfToken(token)) {
    case 'api_token':
      return findApiToken(deps, token, clientAddress)
    case 'session':
      return (await liveSession(deps, { secret: token }))?.principal
    case 'support':
      return findSupport(deps, token)
    default:
      return findJwt(deps, token, clientAddress)
  }
}

/** The last use of an API token is written at most this often. */
const TOUCH_INTERVAL_MS = 5 * 60_000

async function findApiToken(
  { db, clock, keys }: Deps,
  token: string,
  clientAddress: string,
): Promise<Principal | undefined> {
  const now = clock.now()
  const row = await findLiveToken(db, keys.hash('api_token', token), keys.epoch, now)
  if (!row) return undefined
  if (now.getTime() - (row.last_used_at?.getTime() ?? 0) > TOUCH_INTERVAL_MS) {
    await touchToken(db, row.id, { now, from: clientAddress })
  }
  const { id, org_id, user_id, role, expires_at } = row
  return { kind: 'api_token', id, user_id, org_id, role, scopes: [], expires_at: expires_at?.toISOString() ?? null }
}

/** Support staff are not members: they act as viewer, as admin after elevation, and never as owner. */
async function findSupport({ db, clock, keys }: Deps, token: string): Promise<Principal | undefined> {
  const row = await findLiveSupport(db, keys.hash('support', token), keys.epoch, clock.now())
  if (!row) return undefined
  const elevated = row.elevated_at !== null
  return {
    kind: 'user',
    id: row.id,
    user_id: null,
    org_id: row.org_id,
    role: elevated ? 'admin' : 'viewer',
    scopes: [],
    read_only: !elevated,
    support: { staff_email: row.staff_email },
    expires_at: row.expires_at.toISOString(),
  }
}

async function findJwt(deps: Deps, token: string, clientAddress: string): Promise<Principal | undefined> {
  const type = jwtType(token)
  // An agent's access token is for the MCP server alone; no other service accepts it.
  if (type === undefined || type === ACCESS_TOKEN_TYPE || type === ASSERTION_TYPE) return undefined
  if (type === WORKLOAD_TOKEN_TYPE) return deps.hostedWorkload?.(token)
  if (type !== USER_JWT_TYPE) return deps.workload?.(token, clientAddress)
  const jwt = await readUserJwt(deps, token)
  const session = jwt && (await liveSession(deps, { id: jwt.sessionId }))
  if (!session || session.user_id !== jwt.userId) return undefined
  return { ...session.principal, expires_at: jwt.expiresAt.toISOString() }
}

export function validateRoute(validate: Validate): Route {
  return route(validateToken, async ({ token, audience }, { clientAddress }) => ({
    principal: await validate(token, audience, clientAddress),
  }))
}
