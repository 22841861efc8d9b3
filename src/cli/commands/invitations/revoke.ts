import { revokeInvitation } from '#contract/auth/members.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'
import { ownOrg } from '../../own-org.ts'
import { confirm } from '../../prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([id]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id } = await ownOrg(client)
  await confirm(cli, flags.yes, `This revokes the invitation ${id}`)
  const answer = await client.call(revokeInvitation, { org_id, id })
  show(cli, flags.output, answer, () => `Revoked the invitation ${id}.`)
}
