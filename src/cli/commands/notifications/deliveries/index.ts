import { type Argument, type Command, LIMIT } from '../../../command/command.ts'

/** Written out, because reading them from the contract would make every command start slower. A test compares them. */
export const STATUS_CHOICES = ['pending', 'retrying', 'delivered', 'not_sent'] as const

const ID: Argument = { name: 'id', summary: 'entry id from `svc notifications deliveries list`' }

export const deliveries: readonly Command[] = [
  {
    path: 'notifications deliveries list',
    summary: 'List what became of each event',
    description:
      'List every event of your organization and what became of it, newest first: one entry for each event and destination, and one for an event that went to nobody. Needs the role admin or owner.',
    options: [
      { name: 'status', value: 'status', choices: STATUS_CHOICES, summary: 'only entries with this status' },
      { name: 'event-type', value: 'type', summary: 'only this event type, or a prefix such as support.ticket.*' },
      { name: 'app', value: 'alias', completes: 'apps', summary: 'only events of this app' },
      { name: 'channel', field: 'channel_id', value: 'id', summary: 'only entries for this channel' },
      LIMIT,
    ],
    examples: ['svc notifications deliveries list --status not_sent', 'svc notifications deliveries list --app shop'],
    load: async () => (await import('./deliveries.ts')).list,
  },
  {
    path: 'notifications deliveries show',
    summary: 'Show one entry with every attempt',
    description: 'Show one entry of the ledger with every attempt to deliver it. Needs the role admin or owner.',
    arguments: [ID],
    examples: ['svc notifications deliveries show ntf_01jd8y0v7wf9hbq7s7x2e3m4n5'],
    load: async () => (await import('./deliveries.ts')).show,
  },
  {
    path: 'notifications deliveries resend',
    summary: 'Send a message again',
    description:
      'Send a message again that was attempted and ended. If its outcome is unknown or it was delivered, it may arrive twice. The former message stays in the ledger as it ended. Needs the role admin or owner.',
    arguments: [ID],
    confirms: true,
    examples: [
      'svc notifications deliveries resend ntf_01jd8y0v7wf9hbq7s7x2e3m4n5',
      'svc notifications deliveries resend ntf_01jd8y0v7wf9hbq7s7x2e3m4n5 --yes',
    ],
    load: async () => (await import('./deliveries.ts')).resend,
  },
]
