import { removeMember } from '#contract/auth/members.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../command.ts'
import { findPerson } from '../../find-person.ts'
import { show } from '../../output.ts'
import { ownOrg } from '../../own-org.ts'
import { confirm } from '../../prompt.ts'

type Flags = OutputFlags & LoginFlags & ConfirmFlags

export async function run([person]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id, name } = await ownOrg(client)
  const user_id = await findPerson(client, person)
  await confirm(cli, flags.yes, `This removes ${person} from ${name} and stops their tokens`)
  const answer = await client.call(removeMember, { org_id, user_id })
  show(cli, flags.output, answer, () => `Removed ${person} from ${name}.`)
}
