import type { Argument, Command } from '../../../command/command.ts'
import { ALIAS } from '../alias.ts'

const PERSON: Argument = { name: 'person', summary: 'user id, or an email address if you may list members' }

export const people: readonly Command[] = [
  {
    path: 'apps people list',
    summary: 'List the people of an app',
    description:
      'List the people who have a part in an app. Owners and admins of the organization may do everything in every app and are not listed.',
    arguments: [ALIAS],
    examples: ['svc apps people list hello'],
    load: async () => (await import('./people.ts')).list,
  },
  {
    path: 'apps people add',
    summary: 'Give a person a part in an app',
    description:
      'Give a member of the organization a part in an app, or change the part that the person has. Needs the role admin or owner, or the part administrator.',
    arguments: [ALIAS, PERSON],
    options: [
      {
        name: 'part',
        value: 'part',
        choices: ['builder', 'maintainer', 'administrator'],
        summary: 'what the person may do (default: builder)',
      },
    ],
    examples: ['svc apps people add hello ada@example.com --part maintainer'],
    load: async () => (await import('./people.ts')).add,
  },
  {
    path: 'apps people remove',
    summary: 'Remove a person from an app',
    description:
      "Remove a person's part in an app. The person stays a member of the organization. Needs the role admin or owner, or the part administrator.",
    arguments: [ALIAS, PERSON],
    examples: ['svc apps people remove hello ada@example.com'],
    load: async () => (await import('./people.ts')).remove,
  },
]
