import { z } from 'zod'
import { IdInput } from '../core/inputs.ts'
import { jsonDelete, jsonGet, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { Scope } from '../core/roles.ts'

/** A connection of a person to an agent, on one computer. `id` is the id of the approval. */
const ConnectedAgent = z.object({
  id: z.string(),
  client_id: z.string(),
  client_name: z.string(),
  redirect_host: z
    .string()
    .describe(
      'Host that receives its authorization codes. Unlike the name, the agent cannot choose it freely. Empty if your company connected it',
    ),
  resource: z.string(),
  scopes: z.array(Scope),
  user_id: z.string(),
  email: z.string(),
  connected_from: z.string().nullable().describe('Address of the browser in which the person approved the agent'),
  connected_with: z.string().nullable().describe('That browser and its system, as it named itself: Firefox on Linux'),
  vouched_by: z
    .string()
    .nullable()
    .describe('The identity provider of your company that connected it. Null if the person approved it'),
  ended_by: z
    .enum(['person', 'admin'])
    .nullable()
    .describe('Who ended a connection of your company. It stays ended until they, or an admin, allow it again'),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
})

const RevokedAgent = z.object({
  id: z.string(),
  revoked: z.literal(true),
  connections: z.int().describe('How many connections ended'),
})

const own = {
  principals: ['user', 'api_token'],
  role: 'viewer',
  scope: null,
  org: 'token',
  support: 'refused',
} as const
const admin = { principals: ['user', 'api_token'], role: 'admin', scope: null, org: 'path' } as const

export const listAgents = operation({
  ...jsonGet,
  name: 'agents.list',
  path: '/api/v1/agents',
  summary: 'List the agents you connected in this organization, one entry per computer',
  access: own,
  input: z.object(pageInput),
  output: listOf(ConnectedAgent),
})

export const disconnectAgent = operation({
  ...jsonDelete,
  name: 'agents.disconnect',
  path: '/api/v1/agents/{id}',
  summary: 'Disconnect one of your agents on all computers',
  description: '`id` is the id of any connection to the agent in this organization. All of them end.',
  access: own,
  input: z.object({ id: IdInput }),
  output: RevokedAgent,
})

export const endAgentConnection = operation({
  ...jsonDelete,
  name: 'agents.end-connection',
  path: '/api/v1/agent-connections/{id}',
  summary: 'End one connection to one of your agents',
  description: 'One that your company made ends with all others of the same agent, because it may not make any again.',
  access: own,
  input: z.object({ id: IdInput }),
  output: RevokedAgent,
})

export const listOrgAgents = operation({
  ...jsonGet,
  name: 'agents.list-org',
  path: '/api/v1/orgs/{org_id}/agents',
  summary: 'List all agents connected to the organization',
  access: admin,
  input: z.object({ org_id: IdInput, ...pageInput }),
  output: listOf(ConnectedAgent),
})

export const revokeAgent = operation({
  ...jsonDelete,
  name: 'agents.revoke',
  path: '/api/v1/orgs/{org_id}/agents/{id}',
  summary: 'Disconnect an agent of any member on all their computers',
  description: '`id` is the id of any connection of the member to the agent. All of them end.',
  access: { ...admin, support: 'elevated' },
  input: z.object({ org_id: IdInput, id: IdInput }),
  output: RevokedAgent,
})

export const revokeAgentConnection = operation({
  ...jsonDelete,
  name: 'agents.revoke-connection',
  path: '/api/v1/orgs/{org_id}/agent-connections/{id}',
  summary: 'End one connection of any member to an agent',
  description: 'One that the company made ends with all others of the same agent, because it may not make any again.',
  access: { ...admin, support: 'elevated' },
  input: z.object({ org_id: IdInput, id: IdInput }),
  output: RevokedAgent,
})

const AllowedAgent = z.object({ id: z.string(), allowed: z.literal(true) })

export const allowAgent = operation({
  ...jsonPost,
  name: 'agents.allow',
  path: '/api/v1/agents/{id}/allow',
  summary: 'Let your company connect an agent again that you disconnected',
  access: own,
  input: z.object({ id: IdInput }),
  output: AllowedAgent,
})

export const allowMembersAgent = operation({
  ...jsonPost,
  name: 'agents.allow-member',
  path: '/api/v1/orgs/{org_id}/agents/{id}/allow',
  summary: 'Let the company connect an agent of any member again that was disconnected',
  access: { ...admin, support: 'refused' },
  input: z.object({ org_id: IdInput, id: IdInput }),
  output: AllowedAgent,
})
