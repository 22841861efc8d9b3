import type { Argument, Command } from '../../command.ts'

const NAME: Argument = { name: 'name', summary: 'name of the login, as `svc context list` shows it' }

export const context: readonly Command[] = [
  {
    path: 'context list',
    summary: 'List your logins',
    output: true,
    examples: ['svc context list'],
    load: () => import('./list.ts'),
  },
  {
    path: 'context use',
    summary: 'Make a login the current one',
    arguments: [NAME],
    examples: ['svc context use svc.example.com'],
    load: () => import('./use.ts'),
  },
  {
    path: 'context remove',
    summary: 'Forget a login',
    description: 'Forget a login on this machine. Its API key stays valid: `svc tokens revoke` ends that.',
    arguments: [NAME],
    examples: ['svc context remove svc.example.com-2'],
    load: () => import('./remove.ts'),
  },
]
