import { z } from 'zod'
import { NO_BODY } from '../core/limits.ts'
import { operation, type RateLimit } from '../core/operation.ts'

const page = { kind: 'raw', access: 'public', produces: ['text/html'] } as const
const input = z.object({ token: z.string().max(200) })

/** Counts unknown links only: one-click requests of many people come from the few addresses of their mail provider. */
function unknownLinks(name: string): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit: 60, windowSeconds: 60 }]
}

export const unsubscribePage = operation({
  ...page,
  name: 'notifications.unsubscribe-page',
  method: 'GET',
  path: '/unsubscribe/{token}',
  summary: 'Show the page that unsubscribes from a mail',
  description: 'The link in a mail. Changes nothing, because mail scanners open links.',
  effect: 'read',
  bodyLimit: NO_BODY,
  rateLimits: unknownLinks('unsubscribe-page'),
  input,
})

export const unsubscribe = operation({
  ...page,
  name: 'notifications.unsubscribe',
  method: 'POST',
  path: '/unsubscribe/{token}',
  summary: 'Unsubscribe from a mail for good',
  description:
    'One-click unsubscription (RFC 8058): the form field `List-Unsubscribe` is `One-Click`. Needs no sign-in. Disables exactly the subscription that the mail came from; nobody else can enable it again.',
  effect: 'write',
  bodyLimit: 4096,
  rateLimits: unknownLinks('unsubscribe'),
  consumes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
  errors: ['INVALID_REQUEST'],
  input,
})
