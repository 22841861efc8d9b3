import { createAccessTokenReader } from '#edge/credentials/access-token.ts'
import { createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import { createHops, HOP_HEADER } from '#edge/credentials/hop.ts'
import type { ServiceFetch } from '#edge/http/route.ts'
import { createAgents, createHostCheck, createMcp, NO_AGENTS, toOwnPath } from '../areas/mcp/index.ts'
import { composeEdge, countFailureOf, validateAtAuth } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'

export function compose(parts: ServiceParts): Service {
  const { connector, signIn } = parts.config
  const publicUrls = [connector.mcpUrl, signIn.redirectBaseUrl].filter((url) => url !== undefined)
  const validate = validateAtAuth(parts, 'mcp-server')
  const mcp = createMcp({
    ...parts,
    ...agentsOf(parts),
    gateway: parts.neighbour('api-gateway'),
    countFailure: countFailureOf(parts),
    fixed: publicUrls.length > 0,
    checkHost: createHostCheck({ publicUrls, isPassedOn: passedOnBy(parts) }),
  })
  const edge = composeEdge(parts, { name: 'mcp-server', routes: mcp.routes, validate, resolve: mcp.resolve })
  return { fetch: connector.mcpUrl === undefined ? edge : atPublicPath(connector.mcpUrl, edge) }
}

/** A hosted auth service issues no tokens for agents, so with one there are no connectors whatever secrets are set. */
function agentsOf(parts: ServiceParts) {
  const { secrets, authLoginUrl } = parts.config
  const { jwtSecret, actorAssertionSecret } = secrets
  if (!jwtSecret || !actorAssertionSecret || authLoginUrl !== undefined) return { connectors: false, agents: NO_AGENTS }
  const agents = createAgents({
    read: createAccessTokenReader(jwtSecret, parts.clock),
    sign: createAssertionSigner(actorAssertionSecret, parts.clock),
    validate: validateAtAuth(parts, 'mcp-server'),
  })
  return { connectors: true, agents }
}

/** Recognises requests forwarded by the api-gateway, which signs them and uses this service's internal address. */
function passedOnBy({ config, clock }: ServiceParts): (request: Request) => boolean {
  const hops = createHops(config.secrets.internalSecret, clock)
  return ({ headers, method, url }) => {
    const hop = headers.get(HOP_HEADER)
    return hop !== null && hops.verify(hop, method, url) !== undefined
  }
}

/** Maps the public path to `/mcp`, because on a host of its own `{mcp_url}` can have another path. */
function atPublicPath(mcpUrl: string, edge: ServiceFetch): ServiceFetch {
  return (request, info) => {
    const url = new URL(request.url)
    const path = toOwnPath(url.pathname, mcpUrl)
    if (path === url.pathname) return edge(request, info)
    url.pathname = path
    const { method, headers, body, signal } = request
    const init: RequestInit & { duplex: 'half' } = { method, headers, body, signal, duplex: 'half' }
    return edge(new Request(url, init), info)
  }
}
