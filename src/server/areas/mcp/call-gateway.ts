import { createClient } from '#contract/core/client.ts'
import type { Context, RequestInfo, ServiceFetch } from '#edge/http/route.ts'
import type { CallTool } from '#edge/mcp/tools.ts'
import type { Agents } from './agents.ts'
import { withChallenge } from './challenge.ts'
import { endpointAt } from './endpoints.ts'
import type { ResourceOf } from './resource.ts'

type Deps = { gateway: ServiceFetch; agents: Agents; resourceOf: ResourceOf }

/** The gateway asks again who calls: this service decides nothing. */
export function callGateway({ gateway, agents, resourceOf }: Deps): CallTool {
  return async (op, input, context) => {
    const authorization = credentialsOf(context, agents)
    const client = createClient({
      baseUrl: 'http://api-gateway',
      fetch: (request) => gateway(request, { ...infoOf(context), via: 'mcp' }),
      headers: () => ({ authorization }),
    })
    try {
      return await client.call(op, input, { signal: context.signal })
    } catch (error) {
      throw withChallenge(error, resourceOf(endpointAt(context.request.url), context.request), true)
    }
  }
}

/** People's own tokens go on as they are; an agent's never, only what we say of it. */
function credentialsOf({ principal, request }: Context, agents: Agents): string {
  const assertion = agents.present(principal!, 'api-gateway')
  return assertion === undefined ? request.headers.get('authorization')! : `Bearer ${assertion}`
}

function infoOf({ clientAddress, requestId, direct, via }: RequestInfo): RequestInfo {
  return { clientAddress, requestId, direct, via }
}
