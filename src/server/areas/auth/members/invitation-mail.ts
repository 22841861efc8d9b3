import type { Role } from '#contract/core/roles.ts'
import { subjectLine } from '#contract/core/subject-line.ts'
import { displayName } from '#ports/people.ts'
import type { SystemMail } from '#ports/system-mail.ts'

type Invited = {
  id: string
  org_id: string
  email: string
  role: Role
  expires_at: Date
  org_name: string
  /** Null when the person is not known any more. */
  inviter: { name: string | null; email: string } | null
}

/** The address of the page on which an invited person accepts. */
export function invitationLink(baseUrl: string, token: string): string {
  return new URL(`/auth/invitations/${token}`, baseUrl).href
}

/** Names the mail of one token of an invitation, so that it is sent once. A resend has another token. */
export function invitationMailKey({ id, hash }: { id: string; hash: Buffer }): string {
  return `invitation:${id}:${hash.toString('hex', 0, 8)}`
}

export function inviterName(inviter: Invited['inviter']): string {
  return inviter === null ? 'An owner' : subjectLine(displayName(inviter))
}

export function invitationMail(invited: Invited, { key, link }: { key: string; link: string }): SystemMail {
  const inviter = inviterName(invited.inviter)
  const org = subjectLine(invited.org_name)
  const until = invited.expires_at.toISOString().slice(0, 16).replace('T', ' ')
  return {
    key,
    org_id: invited.org_id,
    to: invited.email,
    subject: `${inviter} invites you to ${org}`,
    paragraphs: [
      `${inviter} invites you to join the organization ${org} with the role ${invited.role}.`,
      `To accept, open the link and sign in with the address ${invited.email}. The link works once, until ${until} UTC.`,
      'If you do not expect this invitation, ignore this mail.',
    ],
    action: { label: 'See the invitation', link },
    expires_at: invited.expires_at,
  }
}
