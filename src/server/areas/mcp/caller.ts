import type { Principal } from '#contract/core/principal.ts'
import { ACCESS_TOKEN_TYPE } from '#edge/credentials/access-token.ts'
import { ASSERTION_TYPE } from '#edge/credentials/actor-assertion.ts'
import { bearerOf, invalidToken, type ResolveCaller } from '#edge/credentials/caller.ts'
import type { CheckedCallers } from '#edge/fast/checked-callers.ts'
import type { CountFailure } from '#edge/limits/rate-limit.ts'
import type { RequestInfo } from '#edge/route/route.ts'
import { jwtType } from '#lib/crypto/jwt-type.ts'
import type { Agents } from './agents.ts'
import { insufficientScope, withChallenge } from './challenge.ts'
import { endpointAt } from './endpoints.ts'
import type { Resource, ResourceOf } from './resource.ts'

type Deps = {
  checkedCallers: CheckedCallers
  checkHost: (request: Request) => void
  resourceOf: ResourceOf
  agents: Agents
  /** Called with the end client's address for each forged token. */
  countFailure: CountFailure
}

/** Resolves agents by the access token of their grant, and everyone else as every service does. */
export function createMcpCallers(deps: Deps, others: ResolveCaller): ResolveCaller {
  return async (request, info) => {
    deps.checkHost(request)
    const token = bearerOf(request)
    const resource = deps.resourceOf(endpointAt(request.url), request)
    try {
      const type = token === undefined ? undefined : jwtType(token)
      if (type === ACCESS_TOKEN_TYPE) {
        const agent = await admitAgent(deps, token!, resource, info)
        deps.checkedCallers.found(request, agent)
        return agent
      }
      // Assertions are made by this service for other services, so a caller who sends one forged or stole it.
      if (type === ASSERTION_TYPE) return await refuseForged(deps, info)
      return await others(request, info)
    } catch (error) {
      throw withChallenge(error, resource, request.headers.has('authorization'))
    }
  }
}

async function admitAgent(
  deps: Deps,
  token: string,
  resource: Resource | undefined,
  info: RequestInfo,
): Promise<Principal> {
  const principal = resource ? await deps.agents.admit(token, resource, info) : 'forged'
  if (principal === 'forged') return refuseForged(deps, info)
  // A token that auth signed and that has ended is not counted as a failure: its agent needs the 401 to refresh it.
  if (!principal) throw invalidToken()
  if (!resource!.scopes.some((scope) => principal.scopes.includes(scope))) throw insufficientScope(resource!)
  return principal
}

async function refuseForged({ countFailure }: Deps, { clientAddress }: RequestInfo): Promise<never> {
  await countFailure(clientAddress)
  throw invalidToken()
}
