import { z } from 'zod'
import { jsonDelete, jsonGet, jsonPost, rawGet } from '../core/methods.ts'
import { operation, type RateLimit } from '../core/operation.ts'

const FORM_LIMIT = 8 * 1024
const FORM = 'application/x-www-form-urlencoded'

const page = { kind: 'raw', access: 'public', produces: ['text/html'] } as const
const person = { principals: ['user'], role: null, scope: null, org: 'token', support: 'refused' } as const
const provider = z.string().max(32)
const parameter = z.string().max(4096)
export const ReturnTo = z.string().max(2048)

function perAddress(name: string, limit: number): readonly RateLimit[] {
  return [{ name, per: 'address', limit, windowSeconds: 60 }]
}

/** Counts only refused requests, so that one client cannot block the others at its address. */
function failuresPerAddress(name: string, limit: number): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit, windowSeconds: 60 }]
}

/** A session token for callers that do not use cookies. */
const IssuedToken = z.object({ token: z.string(), expires_at: z.iso.datetime() })

export const signInPage = operation({
  ...rawGet,
  ...page,
  name: 'sign-in.page',
  path: '/auth/login',
  summary: 'Show the sign-in page',
  description:
    'With only one identity provider, redirects to it at once. With `redirect` and `state` it is a hosted sign-in, which ends at that address with a one-time `code` and the `state`.',
  effect: 'write',
  rateLimits: perAddress('sign-in-page', 120),
  input: z.object({
    return_to: ReturnTo.optional(),
    redirect: ReturnTo.optional(),
    state: z.string().min(16).max(200).optional(),
    signed_out: z.string().max(1).optional(),
  }),
})

export const signInStart = operation({
  ...rawGet,
  ...page,
  name: 'sign-in.start',
  path: '/auth/{provider}/start',
  summary: 'Start signing in with an identity provider',
  description: 'With `link=1` the identity is added to the signed-in person.',
  effect: 'write',
  rateLimits: perAddress('sign-in-start', 60),
  input: z.object({ provider, return_to: ReturnTo.optional(), link: z.string().max(1).optional() }),
})

export const signInCallback = operation({
  ...rawGet,
  ...page,
  name: 'sign-in.callback',
  path: '/auth/{provider}/callback',
  summary: 'Finish signing in with an identity provider',
  effect: 'write',
  rateLimits: perAddress('sign-in-callback', 60),
  ignoresUnknownKeys: true,
  input: z.object({
    provider,
    state: parameter.optional(),
    code: parameter.optional(),
    iss: parameter.optional(),
    error: parameter.optional(),
  }),
})

export const signOut = operation({
  ...page,
  name: 'sign-in.sign-out',
  method: 'POST',
  path: '/auth/logout',
  summary: 'End the session and every token made from it',
  description:
    'Accepts the session as a cookie or as a bearer token. Browsers are redirected to a page, others get 204.',
  effect: 'write',
  bodyLimit: FORM_LIMIT,
  errors: ['CSRF'],
  input: z.object({}),
})

export const localPage = operation({
  ...rawGet,
  ...page,
  name: 'sign-in.local-page',
  path: '/auth/local',
  summary: 'Show the local sign-in page',
  input: z.object({ return_to: ReturnTo.optional() }),
})

export const localSignIn = operation({
  ...page,
  name: 'sign-in.local',
  method: 'POST',
  path: '/auth/local',
  summary: 'Sign in locally as the first owner with a one-time code',
  description:
    'The console posts the code of its link here, with `Accept: application/json`, and gets the cookie without a redirect.',
  effect: 'write',
  bodyLimit: FORM_LIMIT,
  // Only wrong codes count, so that whoever sends them cannot keep the owner out. A code has 128 random bits.
  rateLimits: failuresPerAddress('sign-in-local', 20),
  consumes: [FORM],
  produces: ['text/html', 'application/json'],
  errors: ['FORBIDDEN'],
  input: z.object({}),
})

export const signInMethods = operation({
  ...jsonGet,
  name: 'sign-in.methods',
  path: '/api/v1/sign-in-methods',
  summary: 'List the ways to sign in',
  access: 'public',
  output: z.object({
    providers: z.array(z.object({ name: z.string(), label: z.string() })),
    local: z.boolean().describe('Whether the owner can sign in with a code, on the machine of the server only'),
    /** Absent from hosted auth services of former releases. */
    mailed_link: z
      .boolean()
      .optional()
      .describe('Whether people sign in by a mailed link, as they do without identity provider'),
  }),
})

export const switchOrg = operation({
  kind: 'raw',
  name: 'sign-in.switch-org',
  method: 'POST',
  path: '/auth/org',
  summary: 'Switch to another of your organizations',
  description:
    'Send `org_id` as a form or as JSON; a form can also have `return_to`. Ends the current session and starts a new one, returned as a cookie or, for bearer sessions, as `token`.',
  access: person,
  effect: 'write',
  bodyLimit: FORM_LIMIT,
  consumes: [FORM, 'application/json'],
  produces: ['application/json'],
  input: z.object({}),
})

export const sessionToken = operation({
  ...jsonPost,
  name: 'sign-in.token',
  path: '/api/v1/sessions/token',
  summary: 'Create an access token for your session, valid for 15 minutes',
  access: person,
  rateLimits: [{ name: 'session-token', per: 'principal', limit: 120, windowSeconds: 60 }],
  output: IssuedToken,
})

export const listSessions = operation({
  ...jsonGet,
  name: 'sessions.list',
  path: '/api/v1/sessions',
  summary: 'List the browsers and programs where you are signed in',
  description: 'At most 100, the one used last first.',
  access: person,
  output: z.object({
    items: z.array(
      z.object({
        id: z.string(),
        is_current: z.boolean(),
        org_name: z.string().nullable(),
        created_at: z.iso.datetime(),
        last_seen_at: z.iso.datetime(),
        signed_in_with: z.string().nullable().describe('The browser and its system, as it calls itself.'),
        signed_in_from: z.string().nullable().describe('The address from which the person signed in.'),
      }),
    ),
  }),
})

export const endOwnSession = operation({
  ...jsonDelete,
  name: 'sessions.end',
  path: '/api/v1/sessions/{id}',
  summary: 'End one of your sessions',
  access: person,
  input: z.object({ id: z.string().max(100) }),
  output: z.object({ id: z.string(), ended: z.literal(true) }),
})

export const exchangeCode = operation({
  ...jsonPost,
  name: 'sign-in.exchange',
  path: '/api/v1/tokens/exchange',
  summary: 'Exchange the one-time code of a hosted sign-in for a session',
  description: 'A code can be used once, within 60 seconds, with the `state` of the sign-in.',
  access: 'public',
  bodyLimit: 4 * 1024,
  rateLimits: failuresPerAddress('code-exchange', 120),
  errors: ['INVALID_TOKEN'],
  input: z.object({ code: z.string().max(200), state: z.string().max(200) }),
  output: IssuedToken,
})

export const hostedCallback = operation({
  ...rawGet,
  ...page,
  name: 'sign-in.hosted-callback',
  path: '/auth/hosted/callback',
  summary: 'Finish a hosted sign-in',
  effect: 'write',
  rateLimits: failuresPerAddress('hosted-callback', 60),
  ignoresUnknownKeys: true,
  input: z.object({ code: parameter.optional(), state: parameter.optional() }),
})
