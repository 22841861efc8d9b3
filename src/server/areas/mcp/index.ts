import type { JsonOperation } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { createAccessTokenReader } from '#edge/credentials/access-token.ts'
import { createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import type { ResolveCaller, ValidateToken } from '#edge/credentials/caller.ts'
import type { CheckedCallers } from '#edge/fast/checked-callers.ts'
import type { CountFailure } from '#edge/limits/rate-limit.ts'
import { createResourceTools } from '#edge/mcp/resource-tools.ts'
import { createMcpEndpoint, type McpEndpoint } from '#edge/mcp/server.ts'
import { type CallTool, createTools } from '#edge/mcp/tools.ts'
import { type Context, type Route, route, type ServiceFetch } from '#edge/route/route.ts'
import type { OpenStreams } from '#edge/stream/open-streams.ts'
import type { Log } from '#lib/log/log.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { WatchInbox } from '#ports/inbox.ts'
import { servedAt } from './address.ts'
import { createAgents, NO_AGENTS } from './agents.ts'
import { callService, type ServiceOf } from './call-service.ts'
import { createMcpCallers } from './caller.ts'
import { insufficientScope } from './challenge.ts'
import { ENDPOINTS, type EndpointName } from './endpoints.ts'
import { createHostCheck } from './host-check.ts'
import { inboxResource } from './inbox-resource.ts'
import { metadataRoutes } from './metadata.ts'
import { createResources, type ResourceOf } from './resource.ts'

export type { ServiceOf } from './call-service.ts'

type Deps = {
  serviceOf: ServiceOf
  /** Asks auth who a token stands for. */
  validate: ValidateToken
  /** Secrets to read agents' tokens and to speak for agents with; undefined where agents cannot connect. */
  agentSecrets: { jwtSecret: string; actorAssertionSecret: string } | undefined
  /** The address of the endpoints where one is configured. */
  mcpUrl: string | undefined
  /** The address people sign in at where one is configured. */
  signInUrl: string | undefined
  publicUrls: { issuer: string; mcp: string }
  /** Whether one of our own processes passed the request on, so that its Host header is not the caller's. */
  isPassedOn: (request: Request) => boolean
  checkedCallers: CheckedCallers
  countFailure: CountFailure
  watchInbox: WatchInbox
  openStreams: OpenStreams
  clock: Clock
  version: string
  log: Log
}

type Mcp = {
  readonly routes: Route[]
  /** Finds who calls an endpoint: an agent by its access token, anyone else by `others`. */
  readonly resolve: (others: ResolveCaller) => ResolveCaller
  /** Wraps the service where the endpoints have an address of their own, whose path need not be `/mcp`. */
  readonly atOwnAddress: (service: ServiceFetch) => ServiceFetch
}

/** Serves the operations that are tools to agents over MCP, by calling the services that answer them. */
export function createMcp(deps: Deps): Mcp {
  const { agentSecrets, mcpUrl } = deps
  const configuredUrls = [mcpUrl, deps.signInUrl].filter((url) => url !== undefined)
  const agents = agentSecrets ? agentsOf(agentSecrets, deps) : NO_AGENTS
  const resourceOf = createResources({
    ...deps,
    agentsConnect: agentSecrets !== undefined,
    isConfigured: configuredUrls.length > 0,
  })
  const checkHost = createHostCheck({ publicUrls: configuredUrls, isPassedOn: deps.isPassedOn })
  const call = callService({ ...deps, agents, resourceOf })
  const endpoint = (name: EndpointName) => toolEndpoint(name, call, resourceOf, deps)
  const [platform, notifications] = [endpoint('platform'), endpoint('notifications')]
  return {
    routes: [
      route(ENDPOINTS.platform.op, (_, context) => platform(context)),
      route(ENDPOINTS.notifications.op, (_, context) => notifications(context)),
      ...metadataRoutes(resourceOf),
    ],
    resolve: (others) => createMcpCallers({ ...deps, agents, checkHost, resourceOf }, others),
    atOwnAddress: (service) => (mcpUrl === undefined ? service : servedAt(mcpUrl, service)),
  }
}

function agentsOf({ jwtSecret, actorAssertionSecret }: NonNullable<Deps['agentSecrets']>, { clock, validate }: Deps) {
  return createAgents({
    read: createAccessTokenReader(jwtSecret, clock),
    sign: createAssertionSigner(actorAssertionSecret, clock),
    validate,
  })
}

function toolEndpoint(name: EndpointName, call: CallTool, resourceOf: ResourceOf, deps: Deps): McpEndpoint {
  const { version, log, watchInbox, openStreams, clock } = deps
  const onError = (error: unknown) => log.info({ error }, 'an MCP request failed')
  const scopeMissing = createScopeMissing(name, resourceOf)
  const resource =
    name === 'notifications'
      ? createResourceTools(inboxResource({ call, watchInbox }), { scopeMissing, onError })
      : undefined
  const tools = createTools({ name: 'svc', version, operations: toolsOf(name), call, resource, scopeMissing, onError })
  return createMcpEndpoint({ tools, subscriptions: resource && { resource, openStreams, clock }, onError })
}

function createScopeMissing(name: EndpointName, resourceOf: ResourceOf) {
  return (op: JsonOperation, { principal, request }: Context) => {
    const resource = resourceOf(name, request)!
    // Names the granted scopes too, because a client that asks for the missing one alone would lose the others.
    const needed = [...principal!.scopes, ...scopesOf(op)]
    return insufficientScope({ ...resource, scopes: resource.scopes.filter((scope) => needed.includes(scope)) })
  }
}

function toolsOf(endpoint: EndpointName): JsonOperation[] {
  return OPERATIONS.filter((op): op is JsonOperation => op.kind === 'json' && op.tool?.endpoint === endpoint)
}

function scopesOf({ access }: JsonOperation) {
  return typeof access === 'string' || access.scope === null ? [] : [access.scope].flat()
}
