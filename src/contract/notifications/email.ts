import { z } from 'zod'
import { jsonDelete, jsonPut } from '../core/methods.ts'
import { operation } from '../core/operation.ts'
import { byAdmin, Channel } from './channels.ts'

export const addEmail = operation({
  ...jsonPut,
  name: 'integrations.add-email',
  access: { ...byAdmin, support: 'refused' },
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
  ...jsonDelete,
  name: 'integrations.delete-email',
  access: { ...byAdmin, support: 'elevated' },
  path: '/api/integrations/email/{id}',
  summary: 'Delete an email address and its subscriptions',
  description: 'What the person behind the address unsubscribed from is remembered, also if you add the address again.',
  input: z.object({ id: z.string().max(100) }),
  output: z.object({ deleted: z.literal(true) }),
})
