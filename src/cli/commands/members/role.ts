import { changeRole } from '#contract/auth/members.ts'
import type { Role } from '#contract/core/roles.ts'
import { openClient } from '../../call/client.ts'
import { findPerson } from '../../call/find-person.ts'
import { ownOrg } from '../../call/own-org.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'

type Args = [person: string, role: Role]

export async function run([person, role]: Args, flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id, name } = await ownOrg(client)
  const user_id = await findPerson(client, person)
  const member = await client.call(changeRole, { org_id, user_id, role })
  show(cli, flags.output, member, () => `${member.email} has the role ${member.role} in ${name} now.`)
}
