import { type Argument, type Command, LIMIT, type Option } from '../../command/command.ts'

/** Written out, because reading them from the contract would make every command start slower. A test compares them. */
export const STATUS_CHOICES = ['open', 'in_progress', 'done'] as const

const ALIAS: Argument = { name: 'alias', completes: 'apps', summary: 'alias of the app' }
const TICKET: Argument = { name: 'ticket', field: 'ticket_id', summary: 'ticket id from `svc tickets list`' }
const BODY: Option = { name: 'body', value: 'text', summary: 'the text; without it, standard input is read' }

export const tickets: readonly Command[] = [
  {
    path: 'tickets list',
    summary: 'List the tickets of an app',
    description:
      'List the tickets of an app, newest first. Below the role developer and without a part in the app, list those that you filed.',
    arguments: [ALIAS],
    options: [
      { name: 'status', value: 'status', choices: STATUS_CHOICES, summary: 'only tickets in this state' },
      { name: 'mine', summary: 'only tickets that you filed' },
      LIMIT,
    ],
    examples: ['svc tickets list hello --status open'],
    load: async () => (await import('./tickets.ts')).list,
  },
  {
    path: 'tickets show',
    summary: 'Show a ticket with its replies',
    description:
      'Show a ticket with its replies, oldest first. Internal replies are shown to developers and to people with a part in the app.',
    arguments: [ALIAS, TICKET],
    examples: ['svc tickets show hello tkt_01jd8y0v7wf9hbq7s7x2e3m4n5'],
    load: () => import('./show.ts'),
  },
  {
    path: 'tickets file',
    summary: 'File a ticket on an app',
    description: 'File a ticket on an app. Every member of the organization may, also without a part in the app.',
    arguments: [ALIAS, { name: 'title', summary: 'one line that says what is wrong' }],
    options: [BODY],
    examples: [
      'svc tickets file hello "The greeting is wrong" --body "It says Hallo."',
      'svc tickets file hello "It does not start" < report.txt',
    ],
    load: async () => (await import('./tickets.ts')).file,
  },
  {
    path: 'tickets reply',
    summary: 'Reply to a ticket',
    description:
      'Reply to a ticket. A public reply notifies. An internal one needs the role developer or a part in the app, is shown to no one else and notifies nobody.',
    arguments: [ALIAS, TICKET],
    options: [BODY, { name: 'internal', summary: 'hide the reply from a reporter without a part in the app' }],
    examples: [
      'svc tickets reply hello tkt_01jd8y0v7wf9hbq7s7x2e3m4n5 --body "It is fixed."',
      'svc tickets reply hello tkt_01jd8y0v7wf9hbq7s7x2e3m4n5 --internal --body "See the log of 08:00."',
    ],
    load: async () => (await import('./tickets.ts')).reply,
  },
  {
    path: 'tickets move',
    summary: 'Move a ticket to another state',
    description:
      'Move a ticket to another state. A move to the state that it has changes nothing. Needs the role developer or a part in the app.',
    arguments: [ALIAS, TICKET, { name: 'status', summary: 'new state', choices: STATUS_CHOICES }],
    examples: ['svc tickets move hello tkt_01jd8y0v7wf9hbq7s7x2e3m4n5 in_progress'],
    load: async () => (await import('./tickets.ts')).move,
  },
]
