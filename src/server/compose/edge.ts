import { validateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import type { Audience } from '#contract/core/principal.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { createCallerResolver, invalidToken, type ResolveCaller, type ValidateToken } from '#edge/credentials/caller.ts'
import { createCookies } from '#edge/credentials/cookies.ts'
import { localRequest } from '#edge/fast/local-request.ts'
import { createRefusalShapes } from '#edge/format/refusal-shape.ts'
import { type CountFailure, createFailureLimiter, isRefusedToken } from '#edge/limits/rate-limit.ts'
import type { Route, ServiceFetch } from '#edge/route/route.ts'
import { createEdge, type EdgeDeps } from '#edge/serve/create-edge.ts'
import { createSystem } from '../areas/system/index.ts'
import type { ServiceName } from '../config/service-table.ts'
import type { ServiceParts } from './parts.ts'

type Options = Pick<EdgeDeps, 'forward' | 'pageFor' | 'hasPart'> & {
  name: ServiceName
  routes: readonly Route[]
  validate: ValidateToken
  /** Wraps the usual resolver, for a service with callers that no other service has. */
  resolve?: (others: ResolveCaller) => ResolveCaller
}

/** Puts the routes of a service, and the health and metrics routes that all have, behind the same edge. */
export function composeEdge(parts: ServiceParts, options: Options): ServiceFetch {
  const { name, routes, validate, resolve, ...rest } = options
  refuseUnlisted(routes)
  const { principalCache: cache, checkedCallers, clock } = parts
  const { operatorToken } = parts.config.secrets
  const publicUrl = parts.config.signIn.redirectBaseUrl
  const callers = {
    audience: name,
    // The MCP server accepts no cookies, because agents send their token themselves.
    cookies: name === 'mcp-server' ? [] : createCookies(publicUrl).session,
    validate,
    countFailure: countFailureOf(parts),
    clock,
  }
  const others = createCallerResolver({ ...callers, cache, checkedCallers })
  const system = createSystem({ ...parts, operatorToken, describesApi: name === 'api-gateway' })
  return createEdge([...routes, ...system.routes], {
    ...parts,
    service: name,
    operatorToken,
    publicUrl,
    resolve: resolve?.(others) ?? others,
    resolveAgain: createCallerResolver(callers),
    refusalShapeOf: createRefusalShapes(OPERATIONS),
    ...rest,
  })
}

const REFUSED_TOKENS = { name: 'refused-tokens', limit: 60, windowSeconds: 60 }

/** Counts refused tokens by the end client's address, for all services of an installation together. */
export function countFailureOf({ kv, clock }: Pick<ServiceParts, 'kv' | 'clock'>): CountFailure {
  return createFailureLimiter(REFUSED_TOKENS, { kv, clock })
}

/** Throws for a route that is missing from the contract's list, because OpenAPI and the role table are made from it. */
function refuseUnlisted(routes: readonly Route[]): void {
  const unlisted = routes.find(({ op }) => !OPERATIONS.includes(op))
  if (unlisted) throw new Error(`${unlisted.op.name} is mounted but not in contract/operations.ts`)
}

/**
 * Validates tokens at the auth service, wherever it runs. A hosted auth service sees this whole installation as one
 * client address and may limit it as such, so its 429 for a refused token is treated as a refusal; end clients are
 * counted here.
 */
export function validateAtAuth(parts: Pick<ServiceParts, 'neighbour'>, audience: Audience): ValidateToken {
  return async (token, info) => {
    const fetch = async (request: Request) => {
      const response = await parts.neighbour('auth-service')(request, info)
      if (isRefusedToken(response)) throw invalidToken()
      return response
    }
    const client = createClient({ baseUrl: 'http://auth-service', fetch, makeRequest: localRequest })
    return (await client.call(validateToken, { token, audience })).principal
  }
}
