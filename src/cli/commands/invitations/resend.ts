import { resendInvitation } from '#contract/auth/members.ts'
import { openClient } from '../../call/client.ts'
import { ownOrg } from '../../call/own-org.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { invitationLines } from './lines.ts'

export async function run([id]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id } = await ownOrg(client)
  const invitation = await client.call(resendInvitation, { org_id, id })
  show(cli, flags.output, invitation, () => invitationLines(invitation, cli))
}
