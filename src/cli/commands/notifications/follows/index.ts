import type { Argument, Command } from '../../../command/command.ts'
import { TIMING_CHOICES } from '../subscriptions/index.ts'

/** Written out, because reading them from the contract would make every command start slower. A test compares them. */
export const CATEGORY_CHOICES = ['checks', 'maintenance', 'failed_deploys', 'tickets'] as const

/** Written out for the same reason. */
export const VIA_CHOICES = ['chat', 'mail'] as const

const APP: Argument = { name: 'app', completes: 'apps', summary: 'alias or id of an app' }

export const follows: readonly Command[] = [
  {
    path: 'notifications follows list',
    summary: 'List the apps you follow',
    description:
      'List the apps you follow, with what became of the newest event of each: delivered, retrying, or not sent and why.',
    examples: ['svc notifications follows list'],
    load: async () => (await import('./follows.ts')).list,
  },
  {
    path: 'notifications follows set',
    summary: 'Follow an app by category',
    description:
      'Follow an app that you build, maintain or administer. This replaces your former choice for the app. Messages go to you alone.',
    arguments: [APP],
    options: [
      {
        name: 'category',
        field: 'categories',
        value: 'name',
        choices: CATEGORY_CHOICES,
        repeat: true,
        summary: 'what to follow; repeat it for more',
      },
      {
        name: 'frequency',
        value: 'when',
        choices: TIMING_CHOICES,
        summary: 'send at once, or collect and send (default: immediately)',
      },
      {
        name: 'via',
        value: 'way',
        choices: VIA_CHOICES,
        summary: 'a direct message in chat, or a mail instead (default: chat)',
      },
    ],
    examples: [
      'svc notifications follows set shop --category failed_deploys --category checks',
      'svc notifications follows set shop --category tickets --frequency daily --via mail',
    ],
    load: async () => (await import('./follows.ts')).set,
  },
  {
    path: 'notifications follows remove',
    summary: 'Stop following an app',
    description: 'Stop following an app. It is safe to repeat.',
    arguments: [APP],
    examples: ['svc notifications follows remove shop'],
    load: async () => (await import('./follows.ts')).remove,
  },
]
