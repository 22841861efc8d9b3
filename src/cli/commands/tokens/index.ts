import { type Command, LIMIT } from '../../command/command.ts'

export const tokens: readonly Command[] = [
  {
    path: 'tokens list',
    summary: 'List your API tokens',
    description: 'List your API tokens in this organization. The tokens themselves are not shown.',
    options: [LIMIT],
    examples: ['svc tokens list'],
    load: async () => (await import('./tokens.ts')).list,
  },
  {
    path: 'tokens create',
    summary: 'Create an API token that acts for you',
    description: 'Create an API token that acts for you with your current role. The token is shown only once.',
    arguments: [{ name: 'name', summary: 'name for the token, such as what it is for' }],
    options: [
      {
        name: 'expires-days',
        field: 'expires_at',
        value: 'n',
        range: [1, 3650],
        summary: 'days until it expires (default: never)',
      },
    ],
    examples: ['svc tokens create nightly-report --expires-days 90'],
    load: async () => (await import('./tokens.ts')).create,
  },
  {
    path: 'tokens revoke',
    summary: 'Revoke an API token',
    description: 'Revoke an API token. It stops working at once. Owners can revoke the tokens of others.',
    arguments: [{ name: 'id', completes: 'tokens', summary: 'token id from `svc tokens list`' }],
    confirms: true,
    examples: [
      'svc tokens revoke tok_01jd8y0v7wf9hbq7s7x2e3m4n5',
      'svc tokens revoke tok_01jd8y0v7wf9hbq7s7x2e3m4n5 --yes',
    ],
    load: async () => (await import('./tokens.ts')).revoke,
  },
]
