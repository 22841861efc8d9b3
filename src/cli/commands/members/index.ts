import { type Argument, type Command, LIMIT } from '../../command/command.ts'

const PERSON: Argument = { name: 'person', summary: 'email address or user id' }
/** Written out, because reading them from the contract would make every command start slower. A test compares them. */
export const ROLE_CHOICES = ['viewer', 'member', 'developer', 'admin', 'owner'] as const

export const members: readonly Command[] = [
  {
    path: 'members list',
    summary: 'List the members of your organization',
    description:
      'List the members of your organization and their roles. `svc members` does the same. Needs the role admin or owner.',
    isDefault: true,
    options: [LIMIT],
    examples: ['svc members list', 'svc members list --json'],
    load: async () => (await import('./members.ts')).list,
  },
  {
    path: 'members role',
    summary: 'Change the role of a member',
    description: 'Change the role of a member of your organization. Needs the role owner.',
    arguments: [PERSON, { name: 'role', summary: 'new role', choices: ROLE_CHOICES }],
    examples: ['svc members role ada@example.com developer'],
    load: async () => (await import('./members.ts')).role,
  },
  {
    path: 'members remove',
    summary: 'Remove a member, or leave',
    description:
      'Remove a member from your organization, or leave it yourself. Their tokens stop working at once. Owners can remove anyone.',
    arguments: [PERSON],
    confirms: true,
    examples: ['svc members remove ada@example.com', 'svc members remove ada@example.com --yes'],
    load: async () => (await import('./members.ts')).remove,
  },
]
