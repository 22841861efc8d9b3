import { validateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import type { Audience } from '#contract/core/principal.ts'
import { OPERATIONS } from '#contract/operations.ts'
import type { HasPart } from '#edge/credentials/access.ts'
import { createCallerResolver, invalidToken, type ResolveCaller, type ValidateToken } from '#edge/credentials/caller.ts'
import { createCookies } from '#edge/credentials/cookies.ts'
import { createEdge, type EdgeDeps } from '#edge/http/create-edge.ts'
import { type CountFailure, createFailureLimiter, isRefusedToken } from '#edge/http/rate-limit.ts'
import type { Route, ServiceFetch } from '#edge/http/route.ts'
import { systemRoutes } from '../areas/system/index.ts'
import type { ServiceName } from '../process/service-table.ts'
import type { ServiceParts } from './parts.ts'

type Options = {
  name: ServiceName
  routes: readonly Route[]
  validate: ValidateToken
  /** Looks at callers first, where a service has ones that no other has. */
  resolve?: (others: ResolveCaller) => ResolveCaller
  forward?: EdgeDeps['forward']
  /** Needed where an operation names a part in an app. */
  hasPart?: HasPart
}

/** Stands in until apps exist: nobody has a part in any. */
export const NO_PARTS: HasPart = async () => false

/** What every service has in common: its own routes and the operations ones, behind the same edge. */
export function composeEdge(
  parts: ServiceParts,
  { name, routes, validate, resolve, forward, hasPart }: Options,
): ServiceFetch {
  refuseUnlisted(routes)
  const { principalCache: cache, clock } = parts
  const { operatorToken } = parts.config.secrets
  const publicUrl = parts.config.signIn.redirectBaseUrl
  const others = createCallerResolver({
    audience: name,
    // Agents carry their token themselves; a browser's cookie opens nothing there.
    cookies: name === 'mcp-server' ? [] : createCookies(publicUrl).session,
    validate,
    countFailure: countFailureOf(parts),
    cache,
    clock,
  })
  return createEdge([...routes, ...systemRoutes({ ...parts, operatorToken })], {
    ...parts,
    service: name,
    operatorToken,
    publicUrl,
    resolve: resolve?.(others) ?? others,
    hasPart,
    ...(forward && { forward }),
  })
}

/** Counts refused tokens by the end client's address, for all services of an installation together. */
export function countFailureOf({ kv, clock }: Pick<ServiceParts, 'kv' | 'clock'>): CountFailure {
  return createFailureLimiter({ name: 'refused-tokens', limit: 60, windowSeconds: 60 }, { kv, clock })
}

/** What is not in the contract's list would be in no OpenAPI document and in no role table. */
function refuseUnlisted(routes: readonly Route[]): void {
  const unlisted = routes.find(({ op }) => !OPERATIONS.includes(op))
  if (unlisted) throw new Error(`${unlisted.op.name} is mounted but not in contract/operations.ts`)
}

/**
 * Every service but auth itself asks the auth service, wherever that runs. A hosted one sees this whole installation as
 * one address and may count it as such, so its 429 for a refused token is taken as the refusal alone: each end client is
 * counted here.
 */
export function validateAtAuth(parts: ServiceParts, audience: Audience): ValidateToken {
  return async (token, info) => {
    const fetch = async (request: Request) => {
      const response = await parts.neighbour('auth-service')(request, info)
      if (isRefusedToken(response)) throw invalidToken()
      return response
    }
    const client = createClient({ baseUrl: 'http://auth-service', fetch })
    return (await client.call(validateToken, { token, audience })).principal
  }
}
