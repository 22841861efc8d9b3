import { z } from 'zod'
import { BODY_LIMIT, NO_BODY } from '../core/limits.ts'
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

/** Counts only refused requests, so that nobody behind an address can lock out the others there. */
function failuresPerAddress(name: string, limit: number): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit, windowSeconds: 60 }]
}

/** What a session is handed over as, where there is no cookie to put it in. */
const IssuedToken = z.object({ token: z.string(), expires_at: z.iso.datetime() })

export const signInPage = operation({
  ...page,
  name: 'sign-in.page',
  method: 'GET',
  path: '/auth/login',
  summary: 'Sign in: the ways there are',
  description:
    'With one way only it goes there at once. With `redirect` and `state` it is the hosted sign-in: it ends at that address with a one-time `code` and the `state`.',
  effect: 'write',
  bodyLimit: NO_BODY,
  rateLimits: perAddress('sign-in-page', 120),
  input: z.object({
    return_to: ReturnTo.optional(),
    redirect: ReturnTo.optional(),
    state: z.string().min(16).max(200).optional(),
    signed_out: z.string().max(1).optional(),
  }),
})

export const signInStart = operation({
  ...page,
  name: 'sign-in.start',
  method: 'GET',
  path: '/auth/{provider}/start',
  summary: 'Leave for an identity provider',
  description: 'With `link=1` the identity is added to the person who is signed in.',
  effect: 'write',
  bodyLimit: NO_BODY,
  rateLimits: perAddress('sign-in-start', 60),
  input: z.object({ provider, return_to: ReturnTo.optional(), link: z.string().max(1).optional() }),
})

export const signInCallback = operation({
  ...page,
  name: 'sign-in.callback',
  method: 'GET',
  path: '/auth/{provider}/callback',
  summary: 'Come back from an identity provider',
  effect: 'write',
  bodyLimit: NO_BODY,
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
  summary: 'End the session, and every token made from it',
  description: 'By cookie or by bearer. A browser is sent to a page, others get 204.',
  effect: 'write',
  bodyLimit: FORM_LIMIT,
  errors: ['CSRF'],
  input: z.object({}),
})

export const localPage = operation({
  ...page,
  name: 'sign-in.local-page',
  method: 'GET',
  path: '/auth/local',
  summary: 'Sign in on this machine with the code of its data folder',
  effect: 'read',
  bodyLimit: NO_BODY,
  input: z.object({ return_to: ReturnTo.optional() }),
})

export const localSignIn = operation({
  ...page,
  name: 'sign-in.local',
  method: 'POST',
  path: '/auth/local',
  summary: 'Sign in as the first owner, once per code',
  effect: 'write',
  bodyLimit: FORM_LIMIT,
  rateLimits: perAddress('sign-in-local', 20),
  consumes: [FORM],
  input: z.object({}),
})

export const switchOrg = operation({
  kind: 'raw',
  name: 'sign-in.switch-org',
  method: 'POST',
  path: '/auth/org',
  summary: 'Go on in another of your organizations, in a new session',
  description:
    'A form or JSON with `org_id`, a form also with `return_to`. The session before it ends. A caller by cookie gets a new cookie, one by bearer session the new `token`.',
  access: person,
  effect: 'write',
  bodyLimit: FORM_LIMIT,
  consumes: [FORM, 'application/json'],
  produces: ['application/json'],
  input: z.object({}),
})

export const sessionToken = operation({
  kind: 'json',
  name: 'sign-in.token',
  method: 'POST',
  path: '/api/v1/sessions/token',
  summary: 'A token for the API that stands for your session, for 15 minutes',
  access: person,
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  rateLimits: [{ name: 'session-token', per: 'principal', limit: 120, windowSeconds: 60 }],
  input: z.object({}),
  output: IssuedToken,
})

export const exchangeCode = operation({
  kind: 'json',
  name: 'sign-in.exchange',
  method: 'POST',
  path: '/api/v1/tokens/exchange',
  summary: 'A one-time code of the hosted sign-in for a session',
  description: 'A code is good once, for 60 seconds, with the `state` it was asked for with.',
  access: 'public',
  effect: 'write',
  bodyLimit: BODY_LIMIT,
  rateLimits: failuresPerAddress('code-exchange', 120),
  errors: ['INVALID_TOKEN'],
  input: z.object({ code: z.string().max(200), state: z.string().max(200) }),
  output: IssuedToken,
})

export const hostedCallback = operation({
  ...page,
  name: 'sign-in.hosted-callback',
  method: 'GET',
  path: '/auth/hosted/callback',
  summary: 'Come back from a hosted sign-in',
  effect: 'write',
  bodyLimit: NO_BODY,
  rateLimits: failuresPerAddress('hosted-callback', 60),
  ignoresUnknownKeys: true,
  input: z.object({ code: parameter.optional(), state: parameter.optional() }),
})
