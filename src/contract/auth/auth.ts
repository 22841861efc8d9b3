import { z } from 'zod'
import { IdInput } from '../core/inputs.ts'
import { jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { Audience, Principal } from '../core/principal.ts'
import { Role } from '../core/roles.ts'

export const OrgName = z.string().trim().min(1).max(100)
export const Email = z.email().max(254).toLowerCase()
export const Domain = z
  .string()
  .toLowerCase()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, 'must be a domain name such as example.com')

export const Org = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  domains: z.array(z.string()),
  created_at: z.iso.datetime(),
})
export type Org = z.infer<typeof Org>

export const validateToken = operation({
  ...jsonPost,
  name: 'auth.validate-token',
  path: '/api/v1/tokens/validate',
  summary: 'Validate a token and get its principal',
  description:
    'Services validate every token here, with a hosted or a self-hosted auth service. Every refusal is the same 401.',
  access: 'public',
  effect: 'read',
  bodyLimit: 16 * 1024,
  errors: ['INVALID_TOKEN'],
  input: z.object({ token: z.string().min(1).max(8192), audience: Audience.default('api-gateway') }),
  output: z.object({ principal: Principal }),
})

export const createOrg = operation({
  ...jsonPost,
  name: 'auth.create-org',
  path: '/api/v1/orgs',
  summary: 'Create an organization and become its owner',
  access: { principals: ['user', 'api_token'], role: null, scope: null, org: 'token', support: 'refused' },
  idempotent: true,
  errors: ['ORG_LIMIT'],
  status: 201,
  input: z.object({ name: OrgName }),
  output: Org,
})

export const adminCreateOrg = operation({
  ...jsonPost,
  name: 'auth.admin-create-org',
  path: '/api/v1/admin/orgs',
  summary: 'Create an organization with an owner and email domains',
  access: 'operator',
  idempotent: true,
  status: 201,
  input: z.object({
    name: OrgName,
    domains: z.array(Domain).max(50).default([]),
    admin_email: Email.optional(),
    admin_name: z.string().trim().min(1).max(100).optional(),
  }),
  output: Org.extend({ owner: z.object({ user_id: z.string(), email: z.string() }).nullable() }),
})

export const adminCreateToken = operation({
  ...jsonPost,
  name: 'auth.admin-create-token',
  path: '/api/v1/admin/tokens',
  summary: 'Create an API token for a person, who becomes a member if needed',
  description: 'The token is shown only in this answer.',
  access: 'operator',
  idempotent: true,
  status: 201,
  input: z.object({
    org_id: IdInput,
    email: Email,
    role: Role.default('member'),
    name: z.string().trim().min(1).max(100),
    is_program: z
      .boolean()
      .default(false)
      .describe('A new account is that of a program: no sign-in link is mailed to its address.'),
  }),
  output: z.object({
    token: z.string(),
    id: z.string(),
    name: z.string(),
    org_id: z.string(),
    user_id: z.string(),
    email: z.string(),
    role: Role,
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
  }),
})
