import { z } from 'zod'
import { bySelf } from '../core/access.ts'
import { IdInput, UtcTimeInput } from '../core/inputs.ts'
import { jsonDelete, jsonGet, jsonPost } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'

const TokenName = z.string().trim().min(1).max(100)

const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  org_id: z.string(),
  user_id: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable().describe('To five minutes. Null if it was never used.'),
  last_used_from: z.string().nullable().describe('The address of its last use.'),
})

export const listTokens = operation({
  ...jsonGet,
  name: 'tokens.list',
  path: '/api/v1/tokens',
  summary: 'List your API tokens in this organization',
  access: bySelf,
  input: z.object(pageInput),
  output: listOf(ApiToken),
})

export const listOrgTokens = operation({
  ...jsonGet,
  name: 'tokens.list-org',
  path: '/api/v1/orgs/{org_id}/tokens',
  summary: 'List the API tokens of all members of the organization',
  description: 'Without the tokens themselves, which are never shown again.',
  access: { principals: ['user', 'api_token'], role: 'owner', scope: null, org: 'path', support: 'refused' },
  input: z.object({ org_id: IdInput, ...pageInput }),
  output: listOf(ApiToken),
})

export const createToken = operation({
  ...jsonPost,
  name: 'tokens.create',
  path: '/api/v1/tokens',
  summary: 'Create an API token that acts for you',
  description:
    'The token is shown only in this answer. It acts with your current role. A token created with another token expires no later than that one.',
  access: bySelf,
  rateLimits: [{ name: 'token-create', per: 'principal', limit: 30, windowSeconds: 3600 }],
  idempotent: true,
  status: 201,
  input: z.object({ name: TokenName, expires_at: UtcTimeInput.optional() }),
  output: ApiToken.extend({ token: z.string() }),
})

export const revokeToken = operation({
  ...jsonDelete,
  name: 'tokens.revoke',
  path: '/api/v1/tokens/{id}',
  summary: 'Revoke an API token',
  description: 'Owners can also revoke the tokens of others.',
  access: bySelf,
  input: z.object({ id: IdInput }),
  output: z.object({ id: z.string(), revoked: z.literal(true) }),
})
