import { type Command, LIMIT } from '../../../command/command.ts'
import { ALIAS } from '../alias.ts'

const PROPOSAL = { name: 'proposal-id', summary: 'id of the proposal, such as pr_…' } as const
const deciding = { arguments: [ALIAS, PROPOSAL], confirms: true } as const

export const proposals: readonly Command[] = [
  {
    path: 'apps proposals list',
    summary: 'List the proposals of the maintenance agent',
    description:
      'List the changes that the maintenance agent proposes for an app, newest first. With the model builtin/detectors it proposes none.',
    arguments: [ALIAS],
    options: [LIMIT],
    examples: ['svc apps proposals list hello', 'svc apps proposals list hello --json'],
    load: async () => (await import('./proposals.ts')).list,
  },
  {
    path: 'apps proposals show',
    summary: 'Show a proposal and what you may do with it',
    description: 'Show a proposal, how it was checked, and whether you may approve or deny it, and why not.',
    arguments: [ALIAS, PROPOSAL],
    options: [{ name: 'diff', summary: 'also print the difference to the live revision, and what its test wrote' }],
    examples: ['svc apps proposals show hello pr_01k --diff', 'svc apps proposals show hello pr_01k --diff --json'],
    load: () => import('./show.ts'),
  },
  {
    ...deciding,
    path: 'apps proposals approve',
    summary: 'Approve a proposal and deploy it',
    description:
      'Approve a proposal, which queues its deploy. Needs the role admin or owner, and another person than the one who started the run, if there is one.',
    examples: ['svc apps proposals approve hello pr_01k --yes'],
    load: () => import('./approve.ts'),
  },
  {
    ...deciding,
    path: 'apps proposals deny',
    summary: 'Deny a proposal',
    description:
      'Deny a proposal. The app stays as it is, and the change is not proposed again while its file is the same. Needs the role admin or owner.',
    examples: ['svc apps proposals deny hello pr_01k --yes'],
    load: async () => (await import('./proposals.ts')).deny,
  },
  {
    ...deciding,
    path: 'apps proposals retry',
    summary: 'Validate a proposal again',
    description:
      'Make the change of a proposal that is superseded, not valid or failed to deploy again, of the revision that is live now. Needs the role admin or owner.',
    examples: ['svc apps proposals retry hello pr_01k --yes'],
    load: async () => (await import('./proposals.ts')).retry,
  },
]
