import { type Command, LIMIT } from '../../../command/command.ts'
import { ALIAS } from '../alias.ts'

export const revisions: readonly Command[] = [
  {
    path: 'apps revisions list',
    summary: 'List the revisions of an app',
    description: 'List the uploaded revisions of an app, newest first.',
    arguments: [ALIAS],
    options: [LIMIT],
    examples: ['svc apps revisions list hello'],
    load: async () => (await import('./revisions.ts')).list,
  },
  {
    path: 'apps diff',
    summary: 'Compare two revisions of an app',
    description: 'Print what changed in a revision, compared with another one or with the one created before it.',
    arguments: [
      ALIAS,
      { name: 'revision', summary: 'revision id from `svc apps revisions list`' },
      { name: 'base', summary: 'revision to compare with', optional: true },
    ],
    examples: ['svc apps diff hello rev_01k9zzz'],
    load: async () => (await import('./revisions.ts')).diff,
  },
]
