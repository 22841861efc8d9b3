import { z } from 'zod'
import { IdInput } from './core/inputs.ts'
import { jsonGet } from './core/methods.ts'
import { operation } from './core/operation.ts'

const MCP_BODY_LIMIT = 1024 * 1024

/** Raw operations, because JSON-RPC defines its own bodies. Callers see the tools that their role and scopes allow. */
const endpoint = {
  kind: 'raw',
  method: 'POST',
  effect: 'read',
  bodyLimit: MCP_BODY_LIMIT,
  input: z.object({}),
  consumes: ['application/json'],
  produces: ['application/json', 'text/event-stream'],
} as const

const callers = { principals: ['user', 'api_token', 'agent'], role: 'viewer', org: 'token' } as const

export const platformMcp = operation({
  ...endpoint,
  name: 'mcp.platform',
  path: '/mcp/platform',
  summary: 'MCP endpoint for data sources and functions',
  access: { ...callers, scope: ['datasources:read', 'datasources:query', 'functions:call'] },
})

export const notificationsMcp = operation({
  ...endpoint,
  name: 'mcp.notifications',
  path: '/mcp/notifications',
  summary: 'MCP endpoint for notifications',
  access: { ...callers, scope: ['notifications:read', 'notifications:ack'] },
})

/** RFC 9728 section 2. */
const ResourceMetadata = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.literal('header')),
  resource_name: z.string(),
})

const metadata = {
  ...jsonGet,
  summary: 'Get the OAuth metadata of an MCP endpoint (RFC 9728)',
  access: 'public',
  errors: ['NOT_FOUND'],
  output: ResourceMetadata,
} as const

export const platformMetadata = operation({
  ...metadata,
  name: 'mcp.platform-metadata',
  path: '/.well-known/oauth-protected-resource',
  description:
    'Metadata of `/mcp/platform`, for agents that look at the root of a host. 404 if agents cannot connect to this installation.',
})

export const endpointMetadata = operation({
  ...metadata,
  name: 'mcp.endpoint-metadata',
  path: '/.well-known/oauth-protected-resource/mcp/{endpoint}',
  description: '404 if agents cannot connect to this installation.',
  input: z.object({ endpoint: IdInput.describe('`platform` or `notifications`') }),
})
