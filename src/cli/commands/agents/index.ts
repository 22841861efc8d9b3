import { type Command, LIMIT } from '../../command/command.ts'

export const agents: readonly Command[] = [
  {
    path: 'agents list',
    summary: 'List the agents you connected',
    description: 'List the agents you connected in this organization, with the scopes you allowed.',
    options: [LIMIT],
    output: true,
    login: true,
    examples: ['svc agents list'],
    load: () => import('./list.ts'),
  },
  {
    path: 'agents disconnect',
    summary: 'Disconnect an agent',
    description:
      'Disconnect one of your agents. Its next call is refused. To connect again, it must ask you for approval.',
    arguments: [{ name: 'id', completes: 'agents', summary: 'agent id from `svc agents list`' }],
    output: true,
    login: true,
    confirms: true,
    examples: ['svc agents disconnect <id>', 'svc agents disconnect <id> --yes'],
    load: () => import('./disconnect.ts'),
  },
]
