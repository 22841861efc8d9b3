import { removeMember } from '#contract/auth/members.ts'
import { openClient } from '../../call/client.ts'
import { findPerson } from '../../call/find-person.ts'
import { ownOrg } from '../../call/own-org.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { confirm } from '../../terminal/prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([person]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id, name } = await ownOrg(client)
  const user_id = await findPerson(client, person)
  await confirm(cli, flags.yes, `This removes ${person} from ${name} and stops their tokens`)
  const answer = await client.call(removeMember, { org_id, user_id })
  show(cli, flags.output, answer, () => `Removed ${person} from ${name}.`)
}
