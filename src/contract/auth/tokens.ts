import { z } from 'zod'
import { IdInput, UtcTimeInput } from '../core/inputs.ts'
import { BODY_LIMIT, NO_BODY } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { listOf, pageInput } from '../core/paging.ts'

const own = {
  principals: ['user', 'api_token'],
  role: 'viewer',
  scope: null,
  org: 'token',
  support: 'refused',
} as const

const TokenName = z.string().trim().min(1).max(100)

const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  org_id: z.string(),
  user_id: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
})

export const listTokens = operation({
  kind: 'json',
  name: 'tokens.list',
  method: 'GET',
  path: '/api/v1/tokens',
  summary: 'List your API tokens in this organization',
  access: own,
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object(pageInput),
  output: listOf(ApiToken),
})

export const createToken = operation({
  kind: 'json',
  name: 'tokens.create',
  method: 'POST',
  path: '/api/v1/tokens',
  summary: 'Create an API token that acts for you',
  description:
    'The token is shown only in this answer. It acts with your current role. A token created with another token expires no later than that one.',
  access: own,
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  rateLimits: [{ name: 'token-create', per: 'principal', limit: 30, windowSeconds: 3600 }],
  idempotent: true,
  status: 201,
  input: z.object({ name: TokenName, expires_at: UtcTimeInput.optional() }),
  output: ApiToken.extend({ token: z.string() }),
})

export const revokeToken = operation({
  kind: 'json',
  name: 'tokens.revoke',
  method: 'DELETE',
  path: '/api/v1/tokens/{id}',
  summary: 'Revoke an API token',
  description: 'Owners can also revoke the tokens of others.',
  access: own,
  effect: 'write',
  bodyLimit: NO_BODY,
  input: z.object({ id: IdInput }),
  output: z.object({ id: z.string(), revoked: z.literal(true) }),
})
