import { resendInvitation } from '#contract/auth/members.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'
import { ownOrg } from '../../own-org.ts'
import { invitationLines } from './lines.ts'

export async function run([id]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id } = await ownOrg(client)
  const invitation = await client.call(resendInvitation, { org_id, id })
  show(cli, flags.output, invitation, () => invitationLines(invitation, cli))
}
