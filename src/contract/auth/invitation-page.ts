import { z } from 'zod'
import { NO_BODY } from '../core/limits.ts'
import { operation, type RateLimit } from '../core/operation.ts'

const page = { kind: 'raw', access: 'public', produces: ['text/html'] } as const
const path = '/auth/invitations/{token}'
const input = z.object({ token: z.string().max(200) })

/** Counts refused links only, so that one person who guesses stops nobody else at their address from accepting. */
function refusedLinks(name: string): readonly RateLimit[] {
  return [{ name, per: 'address', counts: 'failures', limit: 60, windowSeconds: 60 }]
}

export const invitationPage = operation({
  ...page,
  name: 'invitations.page',
  method: 'GET',
  path,
  summary: 'Show an invitation',
  description:
    'The link in the mail of an invitation: who invites, to which organization and with which role. Changes nothing, because mail scanners open links.',
  effect: 'read',
  bodyLimit: NO_BODY,
  rateLimits: refusedLinks('invitation-page'),
  input,
})

export const acceptInvitationForm = operation({
  ...page,
  name: 'invitations.accept-form',
  method: 'POST',
  path,
  summary: 'Accept an invitation on its page',
  description:
    'Needs a session whose verified email address is the invited one. The session then is in the new organization.',
  effect: 'write',
  bodyLimit: 4096,
  rateLimits: refusedLinks('invitation-accept-form'),
  consumes: ['application/x-www-form-urlencoded'],
  errors: ['CSRF'],
  input,
})
