import type { Argument, Command } from '../../command.ts'
import { LIMIT } from '../../command.ts'

const NAME: Argument = { name: 'name', summary: 'a managed database of your organization' }

export const db: readonly Command[] = [
  {
    path: 'db list',
    summary: 'List the managed databases',
    options: [LIMIT],
    output: true,
    login: true,
    examples: ['svc db list'],
    load: () => import('./list.ts'),
  },
  {
    path: 'db create',
    summary: 'Create a managed database',
    description: 'Create a managed database: Postgres with pgvector, with a role and a password of its own.',
    arguments: [{ name: 'name', summary: 'a lower-case letter, then lower-case letters, digits and underscores' }],
    output: true,
    login: true,
    examples: ['svc db create handbook'],
    load: () => import('./create.ts'),
  },
  {
    path: 'db connect',
    summary: 'Print the connection string of one',
    description: 'Print the connection string of a managed database. It holds the password; reading it is on record.',
    arguments: [NAME],
    options: [{ name: 'quiet', short: 'q', summary: 'print the connection string and nothing else' }],
    output: true,
    login: true,
    examples: ['psql "$(svc db connect handbook -q)"'],
    load: () => import('./connect.ts'),
  },
  {
    path: 'db drop',
    summary: 'Drop one and all that is in it',
    description:
      'Drop a managed database and all that is in it. It cannot be brought back. Refused while it is exposed as a data source. Needs the role admin or owner.',
    arguments: [NAME],
    output: true,
    login: true,
    confirms: true,
    examples: ['svc db drop handbook', 'svc db drop handbook --yes'],
    load: () => import('./drop.ts'),
  },
]
