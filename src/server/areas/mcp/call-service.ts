import { createClient } from '#contract/core/client.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import type { Audience } from '#contract/core/principal.ts'
import { ACCESS_TOKEN_TYPE } from '#edge/credentials/access-token.ts'
import { bearerOf } from '#edge/credentials/caller.ts'
import type { CheckedCallers } from '#edge/fast/checked-callers.ts'
import { localRequest } from '#edge/fast/local-request.ts'
import type { CallTool } from '#edge/mcp/tools.ts'
import type { Context, RequestInfo, ServiceFetch } from '#edge/route/route.ts'
import { jwtType } from '#lib/crypto/jwt-type.ts'
import type { Agents } from './agents.ts'
import { withChallenge } from './challenge.ts'
import { endpointAt } from './endpoints.ts'
import type { ResourceOf } from './resource.ts'

/** The service that answers an operation, by its name as an audience. */
export type ServiceOf = (op: JsonOperation) => { readonly audience: Audience; readonly send: ServiceFetch }

type Deps = { serviceOf: ServiceOf; agents: Agents; checkedCallers: CheckedCallers; resourceOf: ResourceOf }

/**
 * Calls operations at their own service, which decides whether the caller may. It asks auth again who calls, unless auth has
 * just answered that here and both are in one process.
 */
export function callService({ serviceOf, agents, checkedCallers, resourceOf }: Deps): CallTool {
  return async (op, input, context) => {
    const { audience, send } = serviceOf(op)
    const authorization = `Bearer ${credentialOf(context, agents, audience)}`
    const client = createClient({
      baseUrl: `http://${audience}`,
      fetch: (request) => {
        checkedCallers.pass(context, request, audience)
        return send(withoutAgentToken(request), { ...infoOf(context), via: 'mcp' })
      },
      headers: () => ({ authorization }),
      makeRequest: localRequest,
    })
    try {
      return await client.call(op, input, { signal: () => context.signal })
    } catch (error) {
      throw withChallenge(error, resourceOf(endpointAt(context.request.url), context.request), true)
    }
  }
}

/** Returns an assertion for an agent, never the token of its request, and for everyone else the token they sent. */
function credentialOf({ principal, request }: Context, agents: Agents, audience: Audience): string {
  if (principal?.kind === 'agent') return agents.assert(principal, audience)
  const token = bearerOf(request)
  if (token === undefined) throw new Error('a call without a token cannot be passed on to another service')
  return token
}

/** Throws for a request that carries an agent's access token, whatever led to it: only this service may ever see one. */
function withoutAgentToken(request: Request): Request {
  const token = bearerOf(request)
  if (token !== undefined && jwtType(token) !== ACCESS_TOKEN_TYPE) return request
  throw new Error("an agent's access token is never passed on to another service")
}

function infoOf({ clientAddress, requestId, direct, via }: RequestInfo): RequestInfo {
  return { clientAddress, requestId, direct, via }
}
