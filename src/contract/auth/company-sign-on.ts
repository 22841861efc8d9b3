import { z } from 'zod'
import { IdInput } from '../core/inputs.ts'
import { jsonDelete, jsonGet, jsonPost, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { Scope } from '../core/roles.ts'

const byOwner = {
  principals: ['user', 'api_token'],
  role: 'owner',
  scope: null,
  org: 'path',
  support: 'refused',
} as const
const org_id = IdInput

const CompanySignOn = z.object({
  issuer: z.string().nullable().describe('The identity provider that vouches for agents; null while it is off'),
  scopes: z.array(Scope).describe('The most that an agent of the company gets'),
  available_issuers: z.array(z.string()).describe('The identity providers of this installation that can be named'),
  token_endpoint: z.string().describe('Where agents present their assertions'),
  audience: z.string().describe('The value that the identity provider puts into `aud`'),
})

const CompanyClient = z.object({
  client_id: z.string(),
  name: z.string(),
  created_at: z.iso.datetime(),
})

export const readCompanySignOn = operation({
  ...jsonGet,
  name: 'company-sign-on.read',
  path: '/api/v1/orgs/{org_id}/company-sign-on',
  summary: 'Show which identity provider vouches for the agents of the organization',
  access: byOwner,
  input: z.object({ org_id }),
  output: CompanySignOn,
})

export const setCompanySignOn = operation({
  ...jsonPut,
  name: 'company-sign-on.set',
  path: '/api/v1/orgs/{org_id}/company-sign-on',
  summary: 'Let an identity provider vouch for the agents of members, without a consent page',
  description: 'A change ends all connections that the company made. Agents get new ones with their next assertion.',
  access: byOwner,
  input: z.object({ org_id, issuer: z.string().max(500), scopes: z.array(Scope).min(1).max(20) }),
  output: CompanySignOn,
})

export const endCompanySignOn = operation({
  ...jsonDelete,
  name: 'company-sign-on.end',
  path: '/api/v1/orgs/{org_id}/company-sign-on',
  summary: 'Let no identity provider vouch for agents any more, and end all connections that the company made',
  access: byOwner,
  input: z.object({ org_id }),
  output: z.object({ ended: z.literal(true), connections: z.int() }),
})

export const listCompanyClients = operation({
  ...jsonGet,
  name: 'company-sign-on.list-clients',
  path: '/api/v1/orgs/{org_id}/company-clients',
  summary: 'List the agents that may present assertions of the company',
  access: byOwner,
  input: z.object({ org_id }),
  output: z.object({ items: z.array(CompanyClient) }),
})

export const createCompanyClient = operation({
  ...jsonPost,
  name: 'company-sign-on.create-client',
  path: '/api/v1/orgs/{org_id}/company-clients',
  summary: 'Allow an agent to present assertions of the company',
  description: 'The secret is shown only in this answer. The identity provider has to know the client id.',
  access: byOwner,
  idempotent: true,
  status: 201,
  rateLimits: [{ name: 'company-client-create', per: 'principal', limit: 30, windowSeconds: 3600 }],
  input: z.object({ org_id, name: z.string().trim().min(1).max(100) }),
  output: CompanyClient.extend({ client_secret: z.string() }),
})

export const deleteCompanyClient = operation({
  ...jsonDelete,
  name: 'company-sign-on.delete-client',
  path: '/api/v1/orgs/{org_id}/company-clients/{id}',
  summary: 'Allow an agent no longer, and end all its connections',
  access: byOwner,
  input: z.object({ org_id, id: IdInput }),
  output: z.object({ client_id: z.string(), deleted: z.literal(true), connections: z.int() }),
})
