import { listInvitations } from '#contract/auth/members.ts'
import { collect, openClient } from '../../call/client.ts'
import { ownOrg } from '../../call/own-org.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id } = await ownOrg(client)
  const list = await cli.progress('Listing invitations', collect(client, listInvitations, { org_id }, flags.limit))
  showList(cli, flags.output, list, {
    header: ['ID', 'EMAIL', 'ROLE', 'EXPIRES', 'MAIL'],
    row: ({ id, email, role, expires_at, mail }) => [id, email, role, cli.time(expires_at), mailOf(mail)],
    none: 'There are no open invitations. Invite someone: svc invitations create <email>',
  })
}

function mailOf(mail: { status: string; reason: string | null } | null): string {
  if (mail === null) return '-'
  const words = mail.status.replace('_', ' ')
  return mail.reason === null ? words : `${words}: ${mail.reason}`
}
