import type { Command } from '../../command/command.ts'

const CLIENT_ID = { name: 'client_id', summary: 'client id from `svc company agents`' } as const

export const company: readonly Command[] = [
  {
    path: 'company show',
    summary: 'Show the identity provider that vouches for agents',
    description:
      'Show which identity provider vouches for the agents of your organization, the scopes they get, and what the provider has to know. Needs the role owner.',
    examples: ['svc company show'],
    load: async () => (await import('./company.ts')).showSignOn,
  },
  {
    path: 'company trust',
    summary: 'Let an identity provider vouch for agents',
    description:
      'Let an identity provider of this installation vouch for the agents of members, without a consent page. A change ends all connections that the company made. Needs the role owner.',
    arguments: [{ name: 'issuer', summary: 'issuer from `svc company show`' }],
    options: [
      {
        name: 'scope',
        field: 'scopes',
        value: 'scope',
        repeat: true,
        summary: 'a scope that agents get; can be repeated',
      },
    ],
    confirms: true,
    examples: ['svc company trust https://id.example.com --scope datasources:read --scope datasources:query'],
    load: async () => (await import('./company.ts')).trust,
  },
  {
    path: 'company distrust',
    summary: 'Let no identity provider vouch for agents',
    description:
      'Let no identity provider vouch for agents, and end all connections that the company made. Needs the role owner.',
    confirms: true,
    examples: ['svc company distrust', 'svc company distrust --yes'],
    load: async () => (await import('./company.ts')).distrust,
  },
  {
    path: 'company agents',
    summary: 'List the agents that the company allows',
    description: 'List the agents that may present assertions of the identity provider. Needs the role owner.',
    examples: ['svc company agents'],
    load: async () => (await import('./company.ts')).agents,
  },
  {
    path: 'company allow-agent',
    summary: 'Allow an agent',
    description:
      'Allow an agent to present assertions of the identity provider. Its secret is shown only once. Needs the role owner.',
    arguments: [{ name: 'name', summary: 'name that people see on their list of agents' }],
    examples: ['svc company allow-agent "Desk assistant"'],
    load: async () => (await import('./company.ts')).allowAgent,
  },
  {
    path: 'company remove-agent',
    summary: 'Allow an agent no longer',
    description: 'Allow an agent no longer, and end all its connections. Needs the role owner.',
    arguments: [CLIENT_ID],
    confirms: true,
    examples: ['svc company remove-agent <client_id>', 'svc company remove-agent <client_id> --yes'],
    load: async () => (await import('./company.ts')).removeAgent,
  },
]
