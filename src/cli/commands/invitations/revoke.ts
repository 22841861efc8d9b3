import { revokeInvitation } from '#contract/auth/members.ts'
import { openClient } from '../../call/client.ts'
import { ownOrg } from '../../call/own-org.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { confirm } from '../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([id]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id } = await ownOrg(client)
  await confirm(cli, flags.yes, `This revokes the invitation ${id}`)
  const answer = await client.call(revokeInvitation, { org_id, id })
  show(cli, flags.output, answer, () => `Revoked the invitation ${id}.`)
}
