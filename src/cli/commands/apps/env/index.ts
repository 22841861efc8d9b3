import type { Command } from '../../../command/command.ts'
import { ALIAS } from '../alias.ts'

export const env: readonly Command[] = [
  {
    path: 'apps env list',
    summary: 'List the environment variables of an app',
    description: 'List the names of the environment variables of an app. Values are never shown.',
    arguments: [ALIAS],
    examples: ['svc apps env list hello'],
    load: async () => (await import('./env.ts')).list,
  },
  {
    path: 'apps env set',
    summary: 'Set environment variables of an app',
    description:
      'Set environment variables of an app. They take effect when the app is next deployed or started again. A name without a value is asked for on a terminal, and elsewhere read from standard input, so that the value does not stay in your shell history.',
    arguments: [ALIAS, { name: 'variable', summary: 'NAME=value, or NAME alone for a secret', repeat: true }],
    examples: ['svc apps env set hello GREETING=Hello LANGUAGE=en', 'svc apps env set hello API_KEY < key.txt'],
    load: async () => (await import('./env.ts')).set,
  },
  {
    path: 'apps env unset',
    summary: 'Remove environment variables of an app',
    description:
      'Remove environment variables of an app. This takes effect when the app is next deployed or started again.',
    arguments: [ALIAS, { name: 'name', summary: 'name of a variable', repeat: true }],
    examples: ['svc apps env unset hello LANGUAGE'],
    load: async () => (await import('./env.ts')).unset,
  },
]
