import { changeRole, listMembers, removeMember } from '#contract/auth/members.ts'
import type { Role } from '#contract/core/roles.ts'
import { askToConfirm, clientCommand } from '../../call/client-command.ts'
import { findPerson } from '../../call/find-person.ts'
import { listCommand } from '../../call/operation-command.ts'
import { ownOrg, ownOrgInput } from '../../call/own-org.ts'
import type { ConfirmFlags } from '../../command/command.ts'

export const list = listCommand(listMembers, {
  label: 'Listing members',
  input: async (_, __, client) => await ownOrgInput(client),
  header: ['EMAIL', 'NAME', 'ROLE', 'JOINED', 'USER'],
  cut: ['NAME'],
  row: (member, cli) => [member.email, member.name ?? '-', member.role, cli.time(member.joined_at), member.user_id],
  none: 'Your organization has no members.',
})

export const role = clientCommand(async (client, [person, newRole]: [string, Role]) => {
  const { id: org_id, name } = await ownOrg(client)
  const user_id = await findPerson(client, person)
  const member = await client.call(changeRole, { org_id, user_id, role: newRole })
  return { document: member, text: `${member.email} has the role ${member.role} in ${name} now.` }
})

export const remove = clientCommand(async (client, [person], { yes }: ConfirmFlags, cli) => {
  const { id: org_id, name } = await ownOrg(client)
  const user_id = await findPerson(client, person)
  await askToConfirm(cli, yes, `This removes ${person} from ${name} and stops their tokens`)
  const removed = await client.call(removeMember, { org_id, user_id })
  return { document: removed, text: `Removed ${person} from ${name}.` }
})
