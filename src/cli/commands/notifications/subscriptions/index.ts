import type { Command, Option } from '../../../command/command.ts'

/** Written out, because reading them from the contract would make every command start slower. A test compares them. */
export const TIMING_CHOICES = ['immediately', 'hourly', 'daily'] as const

const TIMING: Option = {
  name: 'timing',
  value: 'when',
  choices: TIMING_CHOICES,
  summary: 'send at once, or collect and send (default: immediately)',
}

export const subscriptions: readonly Command[] = [
  {
    path: 'notifications subscriptions list',
    summary: 'List the subscriptions of your organization',
    description: 'List which events go to which channel of your organization. Needs the role admin or owner.',
    examples: ['svc notifications subscriptions list'],
    load: async () => (await import('./subscriptions.ts')).list,
  },
  {
    path: 'notifications subscriptions add',
    summary: 'Subscribe a channel to events',
    description:
      'Subscribe a channel of your organization to an event type, or with a prefix such as support.ticket.* to several. Needs the role admin or owner.',
    arguments: [
      { name: 'event-type', summary: 'event type such as deploy.failed, or prefix such as support.ticket.*' },
      { name: 'channel', field: 'channel_id', summary: 'channel id from `svc notifications channels list`' },
    ],
    options: [TIMING],
    examples: [
      'svc notifications subscriptions add deploy.failed chn_01jd8y0v7wf9hbq7s7x2e3m4n5',
      'svc notifications subscriptions add "pipeline.run.*" chn_01jd8y0v7wf9hbq7s7x2e3m4n5 --timing daily',
    ],
    load: async () => (await import('./subscriptions.ts')).add,
  },
  {
    path: 'notifications subscriptions remove',
    summary: 'Remove a subscription',
    description:
      'Remove a subscription of your organization. A default subscription that you remove is never made again. Needs the role admin or owner.',
    arguments: [{ name: 'id', summary: 'subscription id from `svc notifications subscriptions list`' }],
    confirms: true,
    examples: [
      'svc notifications subscriptions remove sub_01jd8y0v7wf9hbq7s7x2e3m4n5',
      'svc notifications subscriptions remove sub_01jd8y0v7wf9hbq7s7x2e3m4n5 --yes',
    ],
    load: async () => (await import('./subscriptions.ts')).remove,
  },
]
