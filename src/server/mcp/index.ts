import { createClient } from '#contract/client.ts'
import { platformMcp } from '#contract/mcp.ts'
import type { JsonOperation } from '#contract/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { type CallTool, createMcpEndpoint } from '#edge/mcp.ts'
import { type RequestInfo, type Route, route, type ServiceFetch } from '#edge/route.ts'
import type { Log } from '#lib/log.ts'

type Deps = { gateway: ServiceFetch; version: string; log: Log }

export function mcpRoutes({ gateway, version, log }: Deps): Route[] {
  const platform = createMcpEndpoint({
    name: 'svc',
    version,
    operations: toolsOf('platform'),
    call: callThrough(gateway),
    onError: (error) => log.info({ error }, 'an MCP request was not answered as asked'),
  })
  return [route(platformMcp, (_, context) => platform(context))]
}

function toolsOf(endpoint: 'platform' | 'notifications'): JsonOperation[] {
  return OPERATIONS.filter((op): op is JsonOperation => op.kind === 'json' && op.tool?.endpoint === endpoint)
}

/** The gateway checks the caller's own token again: this service decides nothing. */
function callThrough(gateway: ServiceFetch): CallTool {
  return (op, input, context) => {
    const client = createClient({
      baseUrl: 'http://api-gateway',
      fetch: (request) => gateway(request, { ...infoOf(context), via: 'mcp' }),
      headers: () => ({ authorization: context.request.headers.get('authorization') ?? '' }),
    })
    return client.call(op, input)
  }
}

function infoOf({ clientAddress, requestId, direct, via }: RequestInfo): RequestInfo {
  return { clientAddress, requestId, direct, via }
}
