import { z } from 'zod'
import { operation } from './operation.ts'

export const MCP_BODY_LIMIT = 1024 * 1024

/** Raw: JSON-RPC has its own shapes. Who the caller is, is asked inside; which tools they see follows from it. */
export const platformMcp = operation({
  kind: 'raw',
  name: 'mcp.platform',
  method: 'POST',
  path: '/mcp/platform',
  summary: 'MCP endpoint for agents: data sources and functions',
  access: { principals: ['user', 'api_token', 'agent'], role: 'viewer', scope: 'datasources:read', org: 'token' },
  effect: 'read',
  bodyLimit: MCP_BODY_LIMIT,
  input: z.object({}),
  consumes: ['application/json'],
  produces: ['application/json', 'text/event-stream'],
})
