import type { Argument, Command } from '../../command/command.ts'

const NAME: Argument = { name: 'name', completes: 'contexts', summary: 'context name from `svc context list`' }

export const context: readonly Command[] = [
  {
    path: 'context list',
    summary: 'List your logins',
    login: false,
    examples: ['svc context list'],
    load: () => import('./list.ts'),
  },
  {
    path: 'context use',
    summary: 'Set the current login',
    arguments: [NAME],
    output: false,
    login: false,
    examples: ['svc context use svc.example.com'],
    load: () => import('./use.ts'),
  },
  {
    path: 'context remove',
    summary: 'Remove a login',
    description: 'Remove a login from this machine. Its API key stays valid. Revoke it with `svc tokens revoke`.',
    arguments: [NAME],
    output: false,
    login: false,
    examples: ['svc context remove svc.example.com-2'],
    load: () => import('./remove.ts'),
  },
]
