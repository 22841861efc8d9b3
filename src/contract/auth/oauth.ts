import { z } from 'zod'
import { rawGet, rawPost } from '../core/methods.ts'
import { operation, type RateLimit } from '../core/operation.ts'

const FORM = 'application/x-www-form-urlencoded'
const FORM_LIMIT = 32 * 1024
const page = { ...rawGet, access: 'public', produces: ['text/html'] } as const
/** A request that the protocol defines. The handler reads it, and answers faults as the protocol requires. */
const protocolPost = {
  ...rawPost,
  access: 'public',
  bodyLimit: FORM_LIMIT,
  consumes: [FORM],
  produces: ['application/json'],
  ignoresUnknownKeys: true,
  refusals: 'oauth',
} as const

function perAddress(name: string, limit: number): readonly RateLimit[] {
  return [{ name, per: 'address', limit, windowSeconds: 60 }]
}

/** Counts only refused requests, so that one client cannot block the other agents at its address. */
function failuresPerAddress(name: string, limit: number): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit, windowSeconds: 60 }]
}

export const oauthMetadata = operation({
  ...rawGet,
  access: 'public',
  name: 'oauth.metadata',
  path: '/.well-known/oauth-authorization-server',
  summary: 'Get the authorization server metadata (RFC 8414)',
  produces: ['application/json'],
  ignoresUnknownKeys: true,
})

export const oauthAuthorize = operation({
  ...page,
  name: 'oauth.authorize',
  path: '/oauth/authorize',
  summary: 'Start an authorization (authorization code with PKCE S256)',
  description:
    'Redirects to `redirect_uri` with `code`, `state` and `iss`, or with `error`. A `redirect_uri` that does not exactly match a registered one is refused without a redirect.',
  effect: 'write',
  rateLimits: perAddress('oauth-authorize', 60),
  ignoresUnknownKeys: true,
  // Empty, because the handler reads the parameters and answers faults as the protocol requires.
})

export const oauthResume = operation({
  ...page,
  name: 'oauth.resume',
  path: '/oauth/authorize/{uid}',
  summary: 'Continue an authorization after consent',
  effect: 'write',
  rateLimits: perAddress('oauth-resume', 60),
  ignoresUnknownKeys: true,
  input: z.object({ uid: z.string().max(64), ticket: z.string().max(100).optional() }),
})

export const consentPage = operation({
  ...page,
  name: 'oauth.consent-page',
  path: '/oauth/consent/{uid}',
  summary: 'Show the consent page',
  rateLimits: perAddress('oauth-consent', 120),
  input: z.object({ uid: z.string().max(64) }),
})

export const consentDecision = operation({
  ...rawPost,
  access: 'public',
  name: 'oauth.consent',
  path: '/oauth/consent/{uid}',
  summary: 'Approve or deny an authorization',
  bodyLimit: FORM_LIMIT,
  rateLimits: perAddress('oauth-decide', 60),
  consumes: [FORM],
  produces: ['text/html'],
  input: z.object({ uid: z.string().max(64) }),
})

export const oauthToken = operation({
  ...protocolPost,
  name: 'oauth.token',
  path: '/oauth/token',
  summary: 'Exchange a code or a refresh token for an access token',
  description:
    'A refresh token can be used once. Within 30 seconds, and until its successor is used, the same request gets the same successor again. Later use revokes the approval and all of its tokens.',
  rateLimits: failuresPerAddress('oauth-token', 120),
})

export const oauthRevoke = operation({
  ...protocolPost,
  name: 'oauth.revoke',
  path: '/oauth/revoke',
  summary: 'Revoke a token (RFC 7009)',
  rateLimits: failuresPerAddress('oauth-revoke', 120),
})

export const oauthRegister = operation({
  ...protocolPost,
  name: 'oauth.register',
  path: '/oauth/register',
  summary: 'Register an OAuth client (RFC 7591)',
  description:
    'A registration is valid for 30 days. At most 100 can be active, 5 per origin; unused ones are replaced first. Agents with a client metadata document need no registration.',
  bodyLimit: 16 * 1024,
  rateLimits: perAddress('oauth-register', 20),
  consumes: ['application/json'],
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
