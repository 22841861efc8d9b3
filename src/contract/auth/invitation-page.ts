import { z } from 'zod'
import { rawGet, rawPost } from '../core/methods.ts'
import { operation, type RateLimit } from '../core/operation.ts'

const page = {
  access: 'public',
  path: '/auth/invitations/{token}',
  produces: ['text/html'],
  input: z.object({ token: z.string().max(200) }),
} as const

/** Counts refused links only, so that one person who guesses stops nobody else at their address from accepting. */
function refusedLinks(name: string): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit: 60, windowSeconds: 60 }]
}

export const invitationPage = operation({
  ...rawGet,
  ...page,
  name: 'invitations.page',
  summary: 'Show an invitation',
  description:
    'The link in the mail of an invitation: who invites, to which organization and with which role. Changes nothing, because mail scanners open links.',
  rateLimits: refusedLinks('invitation-page'),
})

export const acceptInvitationForm = operation({
  ...rawPost,
  ...page,
  name: 'invitations.accept-form',
  summary: 'Accept an invitation on its page',
  description:
    'Needs a session whose verified email address is the invited one. The session then is in the new organization.',
  bodyLimit: 4096,
  rateLimits: refusedLinks('invitation-accept-form'),
  consumes: ['application/x-www-form-urlencoded'],
  errors: ['CSRF'],
})
