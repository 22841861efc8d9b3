import { listAppPeople, removeAppPerson, setAppPerson } from '#contract/apps/people.ts'
import type { AppPart } from '#contract/core/roles.ts'
import { findPerson } from '../../../call/find-person.ts'
import { callCommand, listCommand } from '../../../call/operation-command.ts'

export const list = listCommand(listAppPeople, {
  input: ([alias]) => ({ alias }),
  header: ['USER', 'PART', 'NAME', 'ADDED'],
  cut: ['NAME'],
  row: ({ user_id, part, display_name, is_member, added_at }, cli) => [
    user_id,
    part,
    is_member === false ? '(left)' : (display_name ?? '-'),
    cli.time(added_at),
  ],
  none: ([alias]) => `Nobody has a part in ${alias}. Owners and admins may do everything in it.`,
})

export const add = callCommand(setAppPerson, {
  input: async ([alias, person], { part = 'builder' }: { part?: AppPart }, client) => ({
    alias,
    user_id: await findPerson(client, person),
    part,
  }),
  text: ({ part }, [alias, person]) => `${person} is ${part} of ${alias}.`,
})

export const remove = callCommand(removeAppPerson, {
  input: async ([alias, person], _, client) => ({ alias, user_id: await findPerson(client, person) }),
  text: (_, [alias, person]) => `${person} has no part in ${alias} any more.`,
})
