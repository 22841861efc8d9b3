import { z } from 'zod'
import { rawGet, rawPost } from '../core/methods.ts'
import { operation, type RateLimit } from '../core/operation.ts'

const page = {
  access: 'public',
  produces: ['text/html'],
  input: z.object({ token: z.string().max(200) }),
} as const

/** Counts unknown links only: one-click requests of many people come from the few addresses of their mail provider. */
function unknownLinks(name: string): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit: 60, windowSeconds: 60 }]
}

export const confirmEmailPage = operation({
  ...rawGet,
  ...page,
  name: 'notifications.confirm-email-page',
  path: '/confirm-email/{token}',
  summary: 'Show the page that confirms an email address',
  description: 'The link in a confirmation mail. Changes nothing, because mail scanners open links.',
  rateLimits: unknownLinks('confirm-email-page'),
})

export const confirmEmail = operation({
  ...rawPost,
  ...page,
  name: 'notifications.confirm-email',
  path: '/confirm-email/{token}',
  summary: 'Confirm that an email address gets notifications',
  description:
    'The form field `confirm` is `yes`. Needs no sign-in. The link works once and for seven days. It begins the subscriptions that wait for it. If none does, it undoes earlier unsubscriptions of the address in this organization, so that its admins can subscribe it again.',
  bodyLimit: 4096,
  rateLimits: unknownLinks('confirm-email'),
  consumes: ['application/x-www-form-urlencoded'],
  errors: ['INVALID_REQUEST'],
})

export const unsubscribePage = operation({
  ...rawGet,
  ...page,
  name: 'notifications.unsubscribe-page',
  path: '/unsubscribe/{token}',
  summary: 'Show the page that unsubscribes from a mail',
  description: 'The link in a mail. Changes nothing, because mail scanners open links.',
  rateLimits: unknownLinks('unsubscribe-page'),
})

export const unsubscribe = operation({
  ...rawPost,
  ...page,
  name: 'notifications.unsubscribe',
  path: '/unsubscribe/{token}',
  summary: 'Unsubscribe from a mail for good',
  description:
    'One-click unsubscription (RFC 8058): the form field `List-Unsubscribe` is `One-Click`. Needs no sign-in. Disables exactly the subscription that the mail came from; nobody else can enable it again.',
  bodyLimit: 4096,
  rateLimits: unknownLinks('unsubscribe'),
  consumes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
  errors: ['INVALID_REQUEST'],
})
