import { changeRole } from '#contract/auth/members.ts'
import type { Role } from '#contract/core/roles.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { findPerson } from '../../find-person.ts'
import { show } from '../../output.ts'
import { ownOrg } from '../../own-org.ts'

type Args = [person: string, role: Role]

export async function run([person, role]: Args, flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id, name } = await ownOrg(client)
  const user_id = await findPerson(client, person)
  const member = await client.call(changeRole, { org_id, user_id, role })
  show(cli, flags.output, member, () => `${member.email} has the role ${member.role} in ${name} now.`)
}
