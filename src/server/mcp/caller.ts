import type { Principal } from '#contract/principal.ts'
import { bearerOf, invalidToken, type ResolveCaller } from '#edge/caller.ts'
import type { RequestInfo } from '#edge/route.ts'
import { ACCESS_TOKEN_TYPE } from '#lib/access-token.ts'
import { ASSERTION_TYPE } from '#lib/actor-assertion.ts'
import { jwtType } from '#lib/jwt-type.ts'
import type { Agents } from './agents.ts'
import { insufficientScope, withChallenge } from './challenge.ts'
import { endpointAt } from './endpoints.ts'
import type { Resource, ResourceOf } from './resource.ts'

type Deps = { checkHost: (request: Request) => void; resourceOf: ResourceOf; agents: Agents }

/** Agents by the access token of their grant; people by their own tokens, as everywhere else. */
export function createMcpCallers({ checkHost, resourceOf, agents }: Deps, others: ResolveCaller): ResolveCaller {
  return async (request, info) => {
    checkHost(request)
    const token = bearerOf(request)
    const resource = resourceOf(endpointAt(request.url), request)
    try {
      const type = token === undefined ? undefined : jwtType(token)
      if (type === ACCESS_TOKEN_TYPE) return await admitAgent(agents, token!, resource, info)
      // What only this service may say of an agent is nobody's token.
      if (type === ASSERTION_TYPE) throw invalidToken()
      return await others(request, info)
    } catch (error) {
      throw withChallenge(error, resource, request.headers.has('authorization'))
    }
  }
}

async function admitAgent(
  agents: Agents,
  token: string,
  resource: Resource | undefined,
  info: RequestInfo,
): Promise<Principal> {
  const principal = resource && (await agents.admit(token, resource, info))
  if (!principal) throw invalidToken()
  if (!resource.scopes.some((scope) => principal.scopes.includes(scope))) throw insufficientScope(resource)
  return principal
}
