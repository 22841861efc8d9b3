import { createInvitation } from '#contract/auth/members.ts'
import type { Role } from '#contract/core/roles.ts'
import { openClient } from '../../call/client.ts'
import { ownOrg } from '../../call/own-org.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { invitationLines } from './lines.ts'

type Flags = OutputFlags & LoginFlags & { role?: Role }

export async function run([email]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id } = await ownOrg(client)
  const invitation = await client.call(createInvitation, { org_id, email, role: flags.role ?? 'member' })
  show(cli, flags.output, invitation, () => invitationLines(invitation, cli))
}
