import { type Command, LIMIT } from '../../command.ts'

export const tokens: readonly Command[] = [
  {
    path: 'tokens list',
    summary: 'List your API tokens',
    description: 'List your API tokens in this organization. The tokens themselves are never shown again.',
    options: [LIMIT],
    output: true,
    login: true,
    examples: ['svc tokens list'],
    load: () => import('./list.ts'),
  },
  {
    path: 'tokens create',
    summary: 'Make an API token that acts for you',
    description: 'Make an API token that acts for you, with your role of the moment. It is printed this once.',
    arguments: [{ name: 'name', summary: 'what it is for, to know it by in the list' }],
    options: [{ name: 'expires-days', value: 'n', range: [1, 3650], summary: 'days it is good for (default: no end)' }],
    output: true,
    login: true,
    examples: ['svc tokens create nightly-report --expires-days 90'],
    load: () => import('./create.ts'),
  },
  {
    path: 'tokens revoke',
    summary: 'Revoke an API token',
    description: 'Revoke an API token: your own, or as an owner anybody’s. It stops working at once.',
    arguments: [{ name: 'id', summary: 'a token of `svc tokens list`' }],
    output: true,
    login: true,
    confirms: true,
    examples: [
      'svc tokens revoke tok_01jd8y0v7wf9hbq7s7x2e3m4n5',
      'svc tokens revoke tok_01jd8y0v7wf9hbq7s7x2e3m4n5 --yes',
    ],
    load: () => import('./revoke.ts'),
  },
]
