import { createHops, HOP_HEADER } from '#edge/credentials/hop.ts'
import { INBOX_NOTIFY, type WatchInbox } from '#ports/inbox.ts'
import { createMcp, type ServiceOf } from '../areas/mcp/index.ts'
import { ownerOf } from '../config/service-table.ts'
import { composeEdge, countFailureOf, validateAtAuth } from './edge.ts'
import type { Service, ServiceParts } from './parts.ts'

export function compose(parts: ServiceParts): Service {
  const { connector, signIn } = parts.config
  const validate = validateAtAuth(parts, 'mcp-server')
  const mcp = createMcp({
    ...parts,
    validate,
    agentSecrets: agentSecretsOf(parts),
    serviceOf: servicesOf(parts),
    countFailure: countFailureOf(parts),
    mcpUrl: connector.mcpUrl,
    signInUrl: signIn.redirectBaseUrl,
    isPassedOn: passedOnBy(parts),
    watchInbox: watchInboxOf(parts),
  })
  const edge = composeEdge(parts, { name: 'mcp-server', routes: mcp.routes, validate, resolve: mcp.resolve })
  return { fetch: mcp.atOwnAddress(edge) }
}

/** An agent's tool is called at the service that answers it, because an assertion is good for one service only. */
function servicesOf(parts: ServiceParts): ServiceOf {
  return ({ path }) => {
    const audience = ownerOf(path) === 'deploy-api' ? 'deploy-api' : 'api-gateway'
    return { audience, send: parts.neighbour(audience) }
  }
}

/** Returns undefined where auth is hosted, because a hosted auth service issues no tokens for our endpoints. */
function agentSecretsOf({ config: { secrets, authLoginUrl } }: ServiceParts) {
  const { jwtSecret, actorAssertionSecret } = secrets
  if (!jwtSecret || !actorAssertionSecret || authLoginUrl !== undefined) return undefined
  return { jwtSecret, actorAssertionSecret }
}

/** An empty payload comes after a reconnection to the database, when notifications may have been missed. */
function watchInboxOf({ db }: ServiceParts): WatchInbox {
  return (userId, onChange) =>
    db.listen(INBOX_NOTIFY, (payload) => {
      if (payload === userId || payload === '') onChange()
    })
}

/** Recognises requests forwarded by the api-gateway, which signs them and uses this service's internal address. */
function passedOnBy({ config, clock }: ServiceParts): (request: Request) => boolean {
  const hops = createHops(config.secrets.internalSecret, clock)
  return ({ headers, method, url }) => {
    const hop = headers.get(HOP_HEADER)
    return hop !== null && hops.verify(hop, method, url) !== undefined
  }
}
