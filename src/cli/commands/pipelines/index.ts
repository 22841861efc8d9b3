import { type Argument, type Command, LIMIT } from '../../command/command.ts'
import { ALIAS } from '../apps/alias.ts'

const NAME: Argument = { name: 'pipeline', inApp: 'pipelines', summary: 'name from `svc pipelines list`' }

export const pipelines: readonly Command[] = [
  {
    path: 'pipelines list',
    summary: 'List the pipelines of an app',
    description:
      'List the pipelines of an app: when they run, whether a worker serves them, and how the last run ended. Workers declare pipelines when they connect.',
    arguments: [ALIAS],
    options: [LIMIT],
    examples: ['svc pipelines list hello'],
    load: async () => (await import('./pipelines.ts')).list,
  },
  {
    path: 'pipelines run',
    summary: 'Run a pipeline now',
    description:
      'Run a pipeline now. With --follow, wait until the run has ended and show what it logs; a run that does not succeed is exit code 1.',
    arguments: [ALIAS, NAME],
    options: [{ name: 'follow', short: 'f', summary: 'wait until the run has ended' }],
    examples: ['svc pipelines run hello nightly-report --follow'],
    load: async () => (await import('./runs.ts')).run,
  },
  {
    path: 'pipelines runs',
    summary: 'List the runs of a pipeline',
    description: 'List the runs of a pipeline, newest first, with why one failed or did not happen.',
    arguments: [ALIAS, NAME],
    options: [LIMIT],
    examples: ['svc pipelines runs hello nightly-report'],
    load: async () => (await import('./pipelines.ts')).runs,
  },
  {
    path: 'pipelines logs',
    summary: 'Show what a run logged',
    description: 'Show what a run of a pipeline logged, oldest line first.',
    arguments: [ALIAS, NAME, { name: 'run', summary: 'run id from `svc pipelines runs`' }],
    examples: ['svc pipelines logs hello nightly-report plr_01k9zzz'],
    load: async () => (await import('./runs.ts')).logs,
  },
  {
    path: 'pipelines enable',
    summary: 'Let a pipeline run again',
    description: 'Let a disabled pipeline run again. Times that passed while it was disabled are not made up for.',
    arguments: [ALIAS, NAME],
    examples: ['svc pipelines enable hello nightly-report'],
    load: async () => (await import('./pipelines.ts')).enable,
  },
  {
    path: 'pipelines disable',
    summary: 'Stop a pipeline from running',
    description:
      'Stop a pipeline from running, by schedule and by hand. A run that is under way ends. A disabled pipeline never alerts.',
    arguments: [ALIAS, NAME],
    examples: ['svc pipelines disable hello nightly-report'],
    load: async () => (await import('./pipelines.ts')).disable,
  },
  {
    path: 'pipelines delete',
    summary: 'Delete a pipeline that no worker declares any more',
    description: 'Delete a pipeline that no worker declares any more, with its history.',
    arguments: [ALIAS, NAME],
    confirms: true,
    examples: ['svc pipelines delete hello old-report --yes'],
    load: async () => (await import('./pipelines.ts')).remove,
  },
]
