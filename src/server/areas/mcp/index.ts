import type { JsonOperation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import type { ResolveCaller } from '#edge/credentials/caller.ts'
import type { CountFailure } from '#edge/http/rate-limit.ts'
import { type Route, route, type ServiceFetch } from '#edge/http/route.ts'
import { createMcpEndpoint, type McpEndpoint } from '#edge/mcp/server.ts'
import { type CallTool, createToolServer } from '#edge/mcp/tools.ts'
import type { Log } from '#lib/log.ts'
import type { Agents } from './agents.ts'
import { callGateway } from './call-gateway.ts'
import { createMcpCallers } from './caller.ts'
import { insufficientScope } from './challenge.ts'
import { ENDPOINTS, type EndpointName } from './endpoints.ts'
import { metadataRoutes } from './metadata.ts'
import { createResources, type ResourceOf } from './resource.ts'

export { toOwnPath } from './address.ts'
export { createAgents, NO_AGENTS } from './agents.ts'
export { createHostCheck } from './host-check.ts'

type Deps = {
  gateway: ServiceFetch
  agents: Agents
  checkHost: (request: Request) => void
  countFailure: CountFailure
  version: string
  log: Log
} & Parameters<typeof createResources>[0]

type Mcp = {
  readonly routes: Route[]
  /** Who calls an endpoint: an agent, or one of the others. */
  readonly resolve: (others: ResolveCaller) => ResolveCaller
}

export function createMcp(deps: Deps): Mcp {
  const resourceOf = createResources(deps)
  const call = callGateway({ ...deps, resourceOf })
  const endpoint = (name: EndpointName) => toolEndpoint(name, call, resourceOf, deps)
  const [platform, notifications] = [endpoint('platform'), endpoint('notifications')]
  return {
    routes: [
      route(ENDPOINTS.platform.op, (_, context) => platform(context)),
      route(ENDPOINTS.notifications.op, (_, context) => notifications(context)),
      ...metadataRoutes(resourceOf),
    ],
    resolve: (others) => createMcpCallers({ ...deps, resourceOf }, others),
  }
}

function toolEndpoint(name: EndpointName, call: CallTool, resourceOf: ResourceOf, { version, log }: Deps): McpEndpoint {
  const onError = (error: unknown) => log.info({ error }, 'an MCP request was not answered as asked')
  const build = createToolServer({
    name: 'svc',
    version,
    operations: toolsOf(name),
    call,
    scopeMissing: (op, { principal, request }) => {
      const resource = resourceOf(name, request)!
      // With what it has: a client that asks for less than before would lose it.
      const wanted = [...principal!.scopes, ...scopesOf(op)]
      return insufficientScope({ ...resource, scopes: resource.scopes.filter((scope) => wanted.includes(scope)) })
    },
    onError,
  })
  return createMcpEndpoint({ build, onError })
}

function toolsOf(endpoint: EndpointName): JsonOperation[] {
  return OPERATIONS.filter((op): op is JsonOperation => op.kind === 'json' && op.tool?.endpoint === endpoint)
}

function scopesOf({ access }: JsonOperation) {
  return typeof access === 'string' || access.scope === null ? [] : [access.scope].flat()
}
