import { z } from 'zod'
import { NO_BODY } from '../core/limits.ts'
import { operation, type RateLimit } from '../core/operation.ts'

const FORM = 'application/x-www-form-urlencoded'
const FORM_LIMIT = 32 * 1024
const raw = { kind: 'raw', access: 'public' } as const

function perAddress(name: string, limit: number, windowSeconds = 60): readonly RateLimit[] {
  return [{ name, per: 'address', limit, windowSeconds }]
}

/** Counts only refused requests, so that nobody behind an address can lock out the agents there. */
function failuresPerAddress(name: string, limit: number): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit, windowSeconds: 60 }]
}

export const oauthMetadata = operation({
  ...raw,
  name: 'oauth.metadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  summary: 'Where agents learn how to connect (RFC 8414)',
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
  summary: 'An agent asks a person for access: authorization code with PKCE (S256)',
  description:
    'Ends at `redirect_uri` with `code`, `state` and `iss`, or with `error`. A `redirect_uri` that is not exactly a registered one is never gone to.',
  effect: 'write',
  bodyLimit: NO_BODY,
  rateLimits: perAddress('oauth-authorize', 60),
  produces: ['text/html'],
  ignoresUnknownKeys: true,
  // Only named here: faults are answered as the protocol wants them, so the handler reads them itself.
  input: z.object({}),
})

export const oauthResume = operation({
  ...raw,
  name: 'oauth.resume',
  method: 'GET',
  path: '/oauth/authorize/{uid}',
  summary: 'Back from the consent page, on to the agent',
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
  summary: 'What an agent asks for, to approve or deny',
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
  summary: 'Approve or deny',
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
  summary: 'A code, or a refresh token, for an access token',
  description: 'Refresh tokens are used once; one that is used again ends all access that came from the approval.',
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
  summary: 'An agent gives back its access (RFC 7009)',
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
  summary: 'An agent registers itself (RFC 7591)',
  description:
    'Good for 30 days. At most 100 at a time, 5 for each origin; unused ones make room. Agents with a metadata document need no registration.',
  effect: 'write',
  bodyLimit: 16 * 1024,
  rateLimits: perAddress('oauth-register', 20),
  consumes: ['application/json'],
  produces: ['application/json'],
  ignoresUnknownKeys: true,
  input: z.object({}),
})

/** What of an authorization request is looked at; a client may send more. */
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
