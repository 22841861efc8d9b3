import { z } from 'zod'
import { rawGet } from '../core/methods.ts'
import { operation, type RateLimit } from '../core/operation.ts'
import { ReturnTo } from './sign-in.ts'

const page = { kind: 'raw', access: 'public', produces: ['text/html'] } as const
const form = {
  method: 'POST',
  effect: 'write',
  bodyLimit: 8 * 1024,
  consumes: ['application/x-www-form-urlencoded'],
  errors: ['CSRF'],
} as const
const ASK_PATH = '/auth/mailed-link'
const LINK_PATH = '/auth/mailed-link/{token}'
const linkInput = z.object({ token: z.string().max(200) })

/** Counts refused links only, so that one person who guesses stops nobody else at their address from signing in. */
function refusedLinks(name: string): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit: 60, windowSeconds: 60 }]
}

export const mailedLinkForm = operation({
  ...rawGet,
  ...page,
  name: 'sign-in.mailed-link-form',
  path: ASK_PATH,
  summary: 'Show the form that mails a sign-in link',
  description: 'Only where no identity provider is configured; 404 otherwise, as for all operations of mailed links.',
  input: z.object({ return_to: ReturnTo.optional() }),
})

export const askMailedLink = operation({
  ...page,
  ...form,
  name: 'sign-in.ask-mailed-link',
  path: ASK_PATH,
  summary: 'Mail a sign-in link',
  description:
    'Send `email` and optionally `return_to` as a form, or the token of an `invitation`, which means the invited address. The answer is the same whether or not the address can sign in. For one address a caller is given at most five links in 15 minutes and 20 in a day, and all callers together 100 in a day.',
  rateLimits: [{ name: 'mailed-link-ask', per: 'address', limit: 20, windowSeconds: 900 }],
  input: z.object({}),
})

export const mailedLinkPage = operation({
  ...rawGet,
  ...page,
  name: 'sign-in.mailed-link-page',
  path: LINK_PATH,
  summary: 'Show the page of a mailed sign-in link',
  description: 'Changes nothing, because mail scanners open links. Its button signs in.',
  rateLimits: refusedLinks('mailed-link-page'),
  input: linkInput,
})

export const signInByMailedLink = operation({
  ...page,
  ...form,
  name: 'sign-in.by-mailed-link',
  path: LINK_PATH,
  summary: 'Sign in with a mailed link',
  description:
    'A link works once, within 15 minutes, and only in the browser that asked for it, which a cookie recognizes.',
  rateLimits: refusedLinks('mailed-link-sign-in'),
  input: linkInput,
})
