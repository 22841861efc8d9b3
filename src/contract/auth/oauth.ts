import { z } from 'zod'
import { NO_BODY } from '../core/limits.ts'
import { operation, type RateLimit } from '../core/operation.ts'

const FORM = 'application/x-www-form-urlencoded'
const FORM_LIMIT = 32 * 1024
const raw = { kind: 'raw', access: 'public' } as const

function perAddress(name: string, limit: number, windowSeconds = 60): readonly RateLimit[] {
  return [{ name, per: 'address', limit, windowSeconds }]
}

/** Counts only refused requests, so that one client cannot block the other agents at its address. */
function failuresPerAddress(name: string, limit: number): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit, windowSeconds: 60 }]
}

export const oauthMetadata = operation({
  ...raw,
  name: 'oauth.metadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  summary: 'Get the authorization server metadata (RFC 8414)',
  effect: 'read',
  bodyLimit: NO_BODY,
  produces: ['application/json'],
  ignoresUnknownKeys: true,
  input: z.object({}),
})

export const oauthAuthorize = operation({
  ...raw,
  name: 'oauth.authorize',
  method: 'GET',
  path: '/oauth/authorize',
  summary: 'Start an authorization (authorization code with PKCE S256)',
  description:
    'Redirects to `redirect_uri` with `code`, `state` and `iss`, or with `error`. A `redirect_uri` that does not exactly match a registered one is refused without a redirect.',
  effect: 'write',
  bodyLimit: NO_BODY,
  rateLimits: perAddress('oauth-authorize', 60),
  produces: ['text/html'],
  ignoresUnknownKeys: true,
  // Empty, because the handler reads the parameters and answers faults as the protocol requires.
  input: z.object({}),
})

export const oauthResume = operation({
  ...raw,
  name: 'oauth.resume',
  method: 'GET',
  path: '/oauth/authorize/{uid}',
  summary: 'Continue an authorization after consent',
  effect: 'write',
  bodyLimit: NO_BODY,
  rateLimits: perAddress('oauth-resume', 60),
  produces: ['text/html'],
  ignoresUnknownKeys: true,
  input: z.object({ uid: z.string().max(64), ticket: z.string().max(100).optional() }),
})

export const consentPage = operation({
  ...raw,
  name: 'oauth.consent-page',
  method: 'GET',
  path: '/oauth/consent/{uid}',
  summary: 'Show the consent page',
  effect: 'read',
  bodyLimit: NO_BODY,
  rateLimits: perAddress('oauth-consent', 120),
  produces: ['text/html'],
  input: z.object({ uid: z.string().max(64) }),
})

export const consentDecision = operation({
  ...raw,
  name: 'oauth.consent',
  method: 'POST',
  path: '/oauth/consent/{uid}',
  summary: 'Approve or deny an authorization',
  effect: 'write',
  bodyLimit: FORM_LIMIT,
  rateLimits: perAddress('oauth-decide', 60),
  consumes: [FORM],
  produces: ['text/html'],
  input: z.object({ uid: z.string().max(64) }),
})

export const oauthToken = operation({
  ...raw,
  name: 'oauth.token',
  method: 'POST',
  path: '/oauth/token',
  summary: 'Exchange a code or a refresh token for an access token',
  description: 'A refresh token can be used once. Using it again revokes the approval and all of its tokens.',
  effect: 'write',
  bodyLimit: FORM_LIMIT,
  rateLimits: failuresPerAddress('oauth-token', 120),
  consumes: [FORM],
  produces: ['application/json'],
  ignoresUnknownKeys: true,
  input: z.object({}),
})

export const oauthRevoke = operation({
  ...raw,
  name: 'oauth.revoke',
  method: 'POST',
  path: '/oauth/revoke',
  summary: 'Revoke a token (RFC 7009)',
  effect: 'write',
  bodyLimit: FORM_LIMIT,
  rateLimits: failuresPerAddress('oauth-revoke', 120),
  consumes: [FORM],
  produces: ['application/json'],
  ignoresUnknownKeys: true,
  input: z.object({}),
})

export const oauthRegister = operation({
  ...raw,
  name: 'oauth.register',
  method: 'POST',
  path: '/oauth/register',
  summary: 'Register an OAuth client (RFC 7591)',
  description:
    'A registration is valid for 30 days. At most 100 can be active, 5 per origin; unused ones are replaced first. Agents with a client metadata document need no registration.',
  effect: 'write',
  bodyLimit: 16 * 1024,
  rateLimits: perAddress('oauth-register', 20),
  consumes: ['application/json'],
  produces: ['application/json'],
  ignoresUnknownKeys: true,
  input: z.object({}),
})

/** Parameters of an authorization request that are read. All others are ignored. */
export const AUTHORIZE_PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'resource',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'request',
  'request_uri',
] as const
