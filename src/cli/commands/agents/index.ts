import { type Command, LIMIT } from '../../command/command.ts'

export const agents: readonly Command[] = [
  {
    path: 'agents list',
    summary: 'List the agents you connected',
    description:
      'List the agents you connected in this organization, with the scopes you allowed. An agent has one line per computer.',
    options: [LIMIT],
    examples: ['svc agents list'],
    load: async () => (await import('./agents.ts')).list,
  },
  {
    path: 'agents disconnect',
    summary: 'Disconnect an agent on all computers',
    description:
      'Disconnect one of your agents on all computers. Its next call is refused. To connect again, it must ask you for approval.',
    arguments: [{ name: 'id', completes: 'agents', summary: 'agent id from `svc agents list`' }],
    confirms: true,
    examples: ['svc agents disconnect <id>', 'svc agents disconnect <id> --yes'],
    load: async () => (await import('./agents.ts')).disconnect,
  },
  {
    path: 'agents end-connection',
    summary: 'End one connection to an agent',
    description:
      'End one connection of an agent, for example that of a lost computer. The others stay, except those that your company made.',
    arguments: [{ name: 'id', completes: 'agents', summary: 'id from `svc agents list`' }],
    confirms: true,
    examples: ['svc agents end-connection <id>', 'svc agents end-connection <id> --yes'],
    load: async () => (await import('./agents.ts')).endConnection,
  },
  {
    path: 'agents allow',
    summary: 'Allow an agent of your company again',
    description:
      'Let your company connect an agent again that you disconnected. One that an admin disconnected only an admin can allow.',
    arguments: [{ name: 'id', completes: 'agents', summary: 'id from `svc agents list`' }],
    examples: ['svc agents allow <id>'],
    load: async () => (await import('./agents.ts')).allow,
  },
]
