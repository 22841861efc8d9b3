import { z } from 'zod'
import { IdInput } from '../core/inputs.ts'
import { NO_BODY } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'
import { Scope } from '../core/roles.ts'

/** An agent that a person connected. `id` is the id of the approval. */
const ConnectedAgent = z.object({
  id: z.string(),
  client_id: z.string(),
  client_name: z.string(),
  redirect_host: z
    .string()
    .describe('Host that receives its authorization codes. Unlike the name, the agent cannot choose it freely'),
  resource: z.string(),
  scopes: z.array(Scope),
  user_id: z.string(),
  email: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
})

const RevokedAgent = z.object({ id: z.string(), revoked: z.literal(true) })

const own = {
  principals: ['user', 'api_token'],
  role: 'viewer',
  scope: null,
  org: 'token',
  support: 'refused',
} as const
const admin = { principals: ['user', 'api_token'], role: 'admin', scope: null, org: 'path' } as const

export const listAgents = operation({
  kind: 'json',
  name: 'agents.list',
  method: 'GET',
  path: '/api/v1/agents',
  summary: 'List the agents you connected in this organization',
  access: own,
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object(pageInput),
  output: listOf(ConnectedAgent),
})

export const disconnectAgent = operation({
  kind: 'json',
  name: 'agents.disconnect',
  method: 'DELETE',
  path: '/api/v1/agents/{id}',
  summary: 'Disconnect one of your agents',
  access: own,
  effect: 'write',
  bodyLimit: NO_BODY,
  input: z.object({ id: IdInput }),
  output: RevokedAgent,
})

export const listOrgAgents = operation({
  kind: 'json',
  name: 'agents.list-org',
  method: 'GET',
  path: '/api/v1/orgs/{org_id}/agents',
  summary: 'List all agents connected to the organization',
  access: admin,
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object({ org_id: IdInput, ...pageInput }),
  output: listOf(ConnectedAgent),
})

export const revokeAgent = operation({
  kind: 'json',
  name: 'agents.revoke',
  method: 'DELETE',
  path: '/api/v1/orgs/{org_id}/agents/{id}',
  summary: 'Disconnect an agent of any member',
  access: { ...admin, support: 'elevated' },
  effect: 'write',
  bodyLimit: NO_BODY,
  input: z.object({ org_id: IdInput, id: IdInput }),
  output: RevokedAgent,
})
