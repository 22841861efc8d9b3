import { type Command, LIMIT } from '../../command.ts'

export const agents: readonly Command[] = [
  {
    path: 'agents list',
    summary: 'List the agents you connected',
    description: 'List the agents you connected in this organization, with what you allowed each.',
    options: [LIMIT],
    output: true,
    login: true,
    examples: ['svc agents list'],
    load: () => import('./list.ts'),
  },
  {
    path: 'agents disconnect',
    summary: 'Disconnect one',
    description: 'Disconnect an agent of yours. Its next call is refused; to come back it must ask you again.',
    arguments: [{ name: 'id', summary: 'an agent of `svc agents list`' }],
    output: true,
    login: true,
    confirms: true,
    examples: ['svc agents disconnect <id>', 'svc agents disconnect <id> --yes'],
    load: () => import('./disconnect.ts'),
  },
]
