import type { z } from 'zod'
import { createInvitation, listInvitations, resendInvitation, revokeInvitation } from '#contract/auth/members.ts'
import { signInMethods } from '#contract/auth/sign-in.ts'
import type { Client } from '#contract/core/client.ts'
import type { Role } from '#contract/core/roles.ts'
import { deliveredWords } from '#contract/notifications/mail-place.ts'
import { mailNote, mailPlace } from '../../call/mail-note.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'
import { ownOrgInput } from '../../call/own-org.ts'
import type { Cli } from '../../terminal/cli.ts'
import { printable } from '../../terminal/printable.ts'
import { statusText } from '../../terminal/status-text.ts'

export const list = listCommand(listInvitations, {
  label: 'Listing invitations',
  input: async (_, __, client) => await ownOrgInput(client),
  header: ['ID', 'EMAIL', 'ROLE', 'EXPIRES', 'MAIL'],
  facts: mailPlace,
  row: ({ id, email, role, expires_at, mail }, cli, _, place) => [
    id,
    email,
    role,
    cli.time(expires_at),
    mailWords(mail, place),
  ],
  none: (_, __, { config }) =>
    `There are no open invitations. Invite someone: ${config.program} invitations create <email>`,
  notes: async (cli, flags, client) => [await mailNote(client, flags, cli)].filter((line) => line !== undefined),
})

export const create = callCommand(createInvitation, {
  input: async ([email], { role = 'member' }: { role?: Role }, client) => ({
    ...(await ownOrgInput(client)),
    email,
    role,
  }),
  text: (invitation, _, cli) => invitationLines(invitation, cli),
  notes: async ({ email }, _, cli, flags, client) => ownHands(email, await mailNote(client, flags, cli), client),
})

export const resend = callCommand(resendInvitation, {
  input: async ([id], _, client) => ({ ...(await ownOrgInput(client)), id }),
  text: (invitation, _, cli) => invitationLines(invitation, cli),
  notes: async ({ email }, _, cli, flags, client) => ownHands(email, await mailNote(client, flags, cli), client),
})

export const revoke = callCommand(revokeInvitation, {
  input: async ([id], _, client) => ({ ...(await ownOrgInput(client)), id }),
  confirm: ([id]) => [`This revokes the invitation ${id}`],
  text: (_, [id]) => `Revoked the invitation ${id}.`,
})

type Invitation = z.infer<(typeof createInvitation)['output']>

function invitationLines({ email, role, link, expires_at }: Invitation, cli: Cli): string[] {
  return [`Invited ${printable(email)} as ${role}. The link is valid once, until ${expires_at}:`, cli.strong(link)]
}

type ListedMail = z.infer<(typeof listInvitations)['output']>['items'][number]['mail']

function mailWords(mail: ListedMail, place: Awaited<ReturnType<typeof mailPlace>>): string {
  if (mail === null) return '-'
  return mail.status === 'sent' ? deliveredWords(place) : statusText(mail)
}

/** Returns what to do if the mail is not on its way to the person. */
async function ownHands(email: string, mailLine: string | undefined, client: Client): Promise<string[]> {
  if (mailLine === undefined) return []
  const methods = await client.call(signInMethods, {}).catch(() => undefined)
  const links = methods?.mailed_link
    ? ' They sign in by a mailed link, which is in the folder sign-in-mails of the data folder.'
    : ''
  return [mailLine, `Send the link to ${printable(email)} yourself.${links}`]
}
