import { type Command, LIMIT } from '../../../command/command.ts'
import { ALIAS } from '../alias.ts'

const FINDING = { name: 'finding', summary: 'fingerprint of the finding, or at least its first 8 characters' } as const

export const maintenance: readonly Command[] = [
  {
    path: 'apps maintenance status',
    summary: 'Show the maintenance agent of an app',
    description: 'Show the settings of the maintenance agent for an app, and its latest run.',
    arguments: [ALIAS],
    examples: ['svc apps maintenance status hello', 'svc apps maintenance status hello --json'],
    load: async () => (await import('./maintenance.ts')).status,
  },
  {
    path: 'apps maintenance enable',
    summary: 'Switch the maintenance agent on for an app',
    description:
      'Switch the maintenance agent on for an app. The organization must have switched it on before. Needs the role admin or owner.',
    arguments: [ALIAS],
    confirms: true,
    examples: ['svc apps maintenance enable hello --yes'],
    load: async () => (await import('./maintenance.ts')).enable,
  },
  {
    path: 'apps maintenance disable',
    summary: 'Switch the maintenance agent off for an app',
    description:
      'Switch the maintenance agent off for an app. A run that is under way stops at once. Needs the role admin or owner.',
    arguments: [ALIAS],
    confirms: true,
    examples: ['svc apps maintenance disable hello --yes'],
    load: async () => (await import('./maintenance.ts')).disable,
  },
  {
    path: 'apps maintenance run',
    summary: 'Run the maintenance agent on an app',
    description:
      'Run the maintenance agent on an app and wait for the result. Exits with 0 if nothing was found, and with 11 if a finding was recorded. Needs the role admin or owner.',
    arguments: [ALIAS],
    options: [
      { name: 'follow', summary: 'print each change of status; with --json one document a line' },
      { name: 'async', summary: 'print the execution id and do not wait' },
      {
        name: 'idempotency-key',
        value: 'key',
        summary: 'repeat a command without starting a second run: the same key shows the first',
      },
    ],
    examples: ['svc apps maintenance run hello --follow', 'svc apps maintenance run hello --follow --json'],
    load: () => import('./run.ts'),
  },
  {
    path: 'apps maintenance runs',
    summary: 'List the maintenance runs of an app',
    description: 'List the maintenance runs of an app, newest first.',
    arguments: [ALIAS],
    options: [LIMIT],
    examples: ['svc apps maintenance runs hello --limit 10'],
    load: () => import('./runs.ts'),
  },
  {
    path: 'apps maintenance findings',
    summary: 'List what the maintenance agent found in an app',
    description:
      'List what the maintenance agent found in an app, last seen first. Closed and dismissed findings are shown too.',
    arguments: [ALIAS],
    examples: ['svc apps maintenance findings hello', 'svc apps maintenance findings hello --json'],
    load: async () => (await import('./findings.ts')).list,
  },
  {
    path: 'apps maintenance finding',
    summary: 'Show a finding and the lines that show it',
    description:
      'Show a finding: what it means, where to look, and the lines of the log or runs of a check that show it.',
    arguments: [ALIAS, FINDING],
    examples: ['svc apps maintenance finding hello 3f2504e04f89'],
    load: async () => (await import('./findings.ts')).show,
  },
  {
    path: 'apps maintenance dismiss',
    summary: 'Dismiss a finding',
    description:
      'Dismiss a finding that is no fault. Later runs do not report it again. Needs the role admin or owner.',
    arguments: [ALIAS, FINDING],
    options: [{ name: 'reason', value: 'text', summary: 'why it is no fault, for those who read it later (required)' }],
    examples: ['svc apps maintenance dismiss hello 3f2504e04f89 --reason "Known, until the move in May"'],
    load: async () => (await import('./findings.ts')).dismiss,
  },
  {
    path: 'apps maintenance reopen',
    summary: 'Take the dismissal of a finding back',
    description: 'Take the dismissal of a finding back, so that runs report it again. Needs the role admin or owner.',
    arguments: [ALIAS, FINDING],
    examples: ['svc apps maintenance reopen hello 3f2504e04f89'],
    load: async () => (await import('./findings.ts')).reopen,
  },
]
