import { z } from 'zod'
import { BODY_LIMIT, NO_BODY } from '../core/limits.ts'
import { operation, type RateLimit } from '../core/operation.ts'
import { byAdmin, Channel } from './channels.ts'

const common = { access: byAdmin, bodyLimit: BODY_LIMIT, effect: 'write' } as const

export const addEmail = operation({
  ...common,
  kind: 'json',
  name: 'integrations.add-email',
  access: { ...byAdmin, support: 'refused' },
  method: 'PUT',
  path: '/api/integrations/email',
  summary: 'Add an email address that subscriptions can name',
  description:
    "A member's address is active at once. Any other address is `unconfirmed`, and gets nothing, until the person behind it opens the link of a confirmation mail and presses the button there. Adding an address again returns the same channel and mails nobody unless `ask_again` is set. An address gets at most three confirmation mails a day, whichever organizations ask, and none any more from an organization that the person refused by the link of such a mail.",
  rateLimits: [{ name: 'email-addresses', per: 'org', limit: 30, windowSeconds: 3600 }],
  errors: ['CHANNEL_LIMIT', 'RATE_LIMITED', 'UNAVAILABLE', 'UNSUBSCRIBED'],
  input: z.object({
    address: z.string().trim().max(254).pipe(z.email()),
    ask_again: z
      .boolean()
      .default(false)
      .describe('Mail a new link to an address that did not confirm yet, or that unsubscribed'),
  }),
  output: Channel,
})

export const deleteEmail = operation({
  ...common,
  kind: 'json',
  name: 'integrations.delete-email',
  access: { ...byAdmin, support: 'elevated' },
  method: 'DELETE',
  path: '/api/integrations/email/{id}',
  summary: 'Delete an email address and its subscriptions',
  description: 'What the person behind the address unsubscribed from is remembered, also if you add the address again.',
  bodyLimit: NO_BODY,
  errors: ['NOT_FOUND'],
  input: z.object({ id: z.string().max(100) }),
  output: z.object({ deleted: z.literal(true) }),
})

const page = { kind: 'raw', access: 'public', produces: ['text/html'] } as const
const input = z.object({ token: z.string().max(200) })

function unknownLinks(name: string): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit: 60, windowSeconds: 60 }]
}

export const confirmEmailPage = operation({
  ...page,
  name: 'notifications.confirm-email-page',
  method: 'GET',
  path: '/confirm-email/{token}',
  summary: 'Show the page that confirms an email address',
  description: 'The link in a confirmation mail. Changes nothing, because mail scanners open links.',
  effect: 'read',
  bodyLimit: NO_BODY,
  rateLimits: unknownLinks('confirm-email-page'),
  input,
})

export const confirmEmail = operation({
  ...page,
  name: 'notifications.confirm-email',
  method: 'POST',
  path: '/confirm-email/{token}',
  summary: 'Confirm that an email address gets notifications',
  description:
    'The form field `confirm` is `yes`. Needs no sign-in. The link works once and for seven days. It begins the subscriptions that wait for it. If none does, it undoes earlier unsubscriptions of the address in this organization, so that its admins can subscribe it again.',
  effect: 'write',
  bodyLimit: 4096,
  rateLimits: unknownLinks('confirm-email'),
  consumes: ['application/x-www-form-urlencoded'],
  errors: ['INVALID_REQUEST'],
  input,
})
