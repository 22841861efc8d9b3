import type { z } from 'zod'
import { createInvitation, listInvitations, resendInvitation, revokeInvitation } from '#contract/auth/members.ts'
import type { Role } from '#contract/core/roles.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'
import { ownOrgInput } from '../../call/own-org.ts'
import type { Cli } from '../../terminal/cli.ts'
import { printable } from '../../terminal/printable.ts'
import { statusText } from '../../terminal/status-text.ts'

export const list = listCommand(listInvitations, {
  label: 'Listing invitations',
  input: async (_, __, client) => await ownOrgInput(client),
  header: ['ID', 'EMAIL', 'ROLE', 'EXPIRES', 'MAIL'],
  row: ({ id, email, role, expires_at, mail }, cli) => [
    id,
    email,
    role,
    cli.time(expires_at),
    mail === null ? '-' : statusText(mail),
  ],
  none: (_, __, { config }) =>
    `There are no open invitations. Invite someone: ${config.program} invitations create <email>`,
})

export const create = callCommand(createInvitation, {
  input: async ([email], { role = 'member' }: { role?: Role }, client) => ({
    ...(await ownOrgInput(client)),
    email,
    role,
  }),
  text: (invitation, _, cli) => invitationLines(invitation, cli),
})

export const resend = callCommand(resendInvitation, {
  input: async ([id], _, client) => ({ ...(await ownOrgInput(client)), id }),
  text: (invitation, _, cli) => invitationLines(invitation, cli),
})

export const revoke = callCommand(revokeInvitation, {
  input: async ([id], _, client) => ({ ...(await ownOrgInput(client)), id }),
  confirm: ([id]) => [`This revokes the invitation ${id}`],
  text: (_, [id]) => `Revoked the invitation ${id}.`,
})

function invitationLines(
  { email, role, link, expires_at }: z.infer<(typeof createInvitation)['output']>,
  cli: Cli,
): string[] {
  return [`Invited ${printable(email)} as ${role}. The link is valid once, until ${expires_at}:`, cli.strong(link)]
}
