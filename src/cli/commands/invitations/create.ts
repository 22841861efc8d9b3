import { createInvitation } from '#contract/auth/members.ts'
import type { Role } from '#contract/core/roles.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'
import { ownOrg } from '../../own-org.ts'
import { invitationLines } from './lines.ts'

type Flags = OutputFlags & LoginFlags & { role?: Role }

export async function run([email]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id } = await ownOrg(client)
  const invitation = await client.call(createInvitation, { org_id, email, role: flags.role ?? 'member' })
  show(cli, flags.output, invitation, () => invitationLines(invitation, cli))
}
