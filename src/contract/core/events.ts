import { z } from 'zod'
import { DEPLOY_FAILURES } from './deploy-failures.ts'
import { defineEvent, EventApp, type EventDefinition, idOf, Label } from './event-definition.ts'
import { subjectLine } from './subject-line.ts'

type InApp = { app: { alias: string } }

const app = EventApp

const ticket = {
  category: 'tickets',
  about: {
    app,
    ticket: z.strictObject({ id: idOf('tkt'), title: Label }),
    // Reporters are mailed about replies to their own tickets. Null when the reporter is not a user.
    reporter_id: idOf('usr').nullable(),
  },
  link: (body: InApp & { ticket: { id: string } }) => `/apps/${body.app.alias}/tickets/${body.ticket.id}`,
} as const

const check = {
  category: 'checks',
  about: { app, check: z.strictObject({ id: idOf('chk'), name: Label }) },
  link: (body: InApp & { check: { id: string } }) => `/apps/${body.app.alias}/checks/${body.check.id}`,
} as const

const run = {
  category: 'maintenance',
  about: { app, execution_id: idOf('exe') },
  link: (body: InApp & { execution_id: string }) => `/apps/${body.app.alias}/maintenance/${body.execution_id}`,
} as const

const proposal = {
  category: 'maintenance',
  about: { app, proposal_id: idOf('pr') },
  link: (body: InApp & { proposal_id: string }) => `/apps/${body.app.alias}/changes/${body.proposal_id}`,
} as const

const pipeline = {
  category: null,
  about: {
    app,
    pipeline: z.strictObject({ id: idOf('pl'), name: Label }),
    // Null when no run was created, for example because no worker was connected.
    run_id: idOf('plr').nullable(),
  },
  link: (body: InApp & { pipeline: { id: string } }) => `/apps/${body.app.alias}/pipelines/${body.pipeline.id}`,
} as const

const supportAccess = {
  category: null,
  about: { support_session_id: idOf('sup') },
  link: () => '/settings/organization/audit',
} as const

const WATCHED = {
  gone: 'Fault is gone',
  back: 'Fault is back',
  no_requests: 'No request in the log',
  not_read: 'Log was not read whole',
} as const

const definitions = {
  'support.ticket.created': defineEvent({
    ...ticket,
    statuses: ['filed'],
    subject: (body) => `New ticket in ${body.app.name}: ${body.ticket.title}`,
  }),
  'support.ticket.replied': defineEvent({
    ...ticket,
    statuses: ['replied'],
    subject: (body) => `New reply to a ticket in ${body.app.name}: ${body.ticket.title}`,
  }),
  'support.ticket.status_changed': defineEvent({
    ...ticket,
    statuses: ['open', 'in_progress', 'done'],
    subject: (body) => `Ticket in ${body.app.name} is now ${inWords(body.status)}: ${body.ticket.title}`,
  }),
  'deploy.failed': defineEvent({
    category: 'failed_deploys',
    statuses: DEPLOY_FAILURES,
    about: { app, deployment_id: idOf('dep') },
    subject: (body) => `Deploy of ${body.app.name} failed: ${body.status}`,
    link: (body) => `/apps/${body.app.alias}/deploys/${body.deployment_id}`,
  }),
  'application.check.failed': defineEvent({
    ...check,
    statuses: ['fail'],
    subject: (body) => `Check failed in ${body.app.name}: ${body.check.name}`,
  }),
  'application.check.error': defineEvent({
    ...check,
    statuses: ['error'],
    subject: (body) => `Check could not run in ${body.app.name}: ${body.check.name}`,
  }),
  'application.check.indeterminate': defineEvent({
    ...check,
    statuses: ['evidence_limit', 'budget_exhausted'],
    subject: (body) => `Check was inconclusive in ${body.app.name} (${inWords(body.status)}): ${body.check.name}`,
  }),
  'application.check.recovered': defineEvent({
    ...check,
    statuses: ['pass'],
    subject: (body) => `Check passes again in ${body.app.name}: ${body.check.name}`,
  }),
  'application.maintenance.run.completed': defineEvent({
    ...run,
    statuses: ['found_nothing', 'finding_recorded', 'proposed', 'budget_exhausted'],
    subject: (body) => `Maintenance run of ${body.app.name} finished: ${inWords(body.status)}`,
  }),
  'application.maintenance.run.failed': defineEvent({
    ...run,
    statuses: ['agent_error'],
    subject: (body) => `Maintenance run of ${body.app.name} could not finish`,
  }),
  'application.maintenance.proposal.created': defineEvent({
    ...proposal,
    statuses: ['proposal'],
    subject: (body) => `Change proposed for ${body.app.name}: waiting for a decision`,
  }),
  'application.maintenance.proposal.approved': defineEvent({
    ...proposal,
    statuses: ['approved'],
    subject: (body) => `Proposed change for ${body.app.name} was approved`,
  }),
  'application.maintenance.proposal.denied': defineEvent({
    ...proposal,
    statuses: ['denied'],
    subject: (body) => `Proposed change for ${body.app.name} was denied`,
  }),
  'application.maintenance.proposal.watched': defineEvent({
    ...proposal,
    statuses: ['gone', 'back', 'no_requests', 'not_read'],
    subject: (body) => `${WATCHED[body.status]} after the deploy of a proposed change for ${body.app.name}`,
  }),
  'pipeline.run.failed': defineEvent({
    ...pipeline,
    statuses: ['failed'],
    subject: (body) => `Pipeline failed in ${body.app.name}: ${body.pipeline.name}`,
  }),
  'pipeline.run.recovered': defineEvent({
    ...pipeline,
    statuses: ['recovered'],
    subject: (body) => `Pipeline recovered in ${body.app.name}: ${body.pipeline.name}`,
  }),
  'pipeline.run.host_offline': defineEvent({
    ...pipeline,
    statuses: ['host_offline'],
    subject: (body) => `No worker was connected for a pipeline in ${body.app.name}: ${body.pipeline.name}`,
  }),
  'pipeline.run.missed': defineEvent({
    ...pipeline,
    statuses: ['missed'],
    subject: (body) => `Scheduled pipeline run did not happen in ${body.app.name}: ${body.pipeline.name}`,
  }),
  'org.support_access.started': defineEvent({
    ...supportAccess,
    statuses: ['read_only'],
    subject: () => 'Vendor staff entered the organization in a read-only support session',
  }),
  'org.support_access.elevated': defineEvent({
    ...supportAccess,
    statuses: ['read_write'],
    subject: () => 'A support session of vendor staff was raised to read and write',
  }),
  // Sent to one channel because an admin asked for it. No subscription matches it.
  'notification.test': defineEvent({
    category: null,
    statuses: ['test'],
    about: { channel_id: idOf('chn') },
    subject: () => 'Test: notifications reach this channel',
    link: () => '/settings/organization/integrations',
  }),
}

type Definitions = typeof definitions
export type EventType = keyof Definitions
type Bodies = { [T in EventType]: Definitions[T] extends EventDefinition<infer Body> ? Body : never }

/** The only table of event types: who can follow each, the status codes it carries, its subject and its link. */
export const EVENTS: { readonly [T in EventType]: EventDefinition<Bodies[T]> } = definitions

export const EVENT_TYPES = Object.keys(definitions) as readonly EventType[]

/** An event of one of the types `T`, with the body of its type. */
export type EventOf<T extends EventType = EventType> = {
  [K in T]: { type: K; org_id: string; occurred_at: Date; body: Bodies[K] }
}[T]

/** Throws a ZodError when the body does not fit the type. */
export function parseEventBody<T extends EventType>(event: EventOf<T>): Bodies[T] {
  return EVENTS[event.type].body.parse(event.body)
}

/** Returns undefined for an event of another release: a type that is not in the table, or a body of another shape. */
export function readStoredEvent(stored: {
  type: string
  org_id: string
  occurred_at: Date
  body: unknown
}): EventOf | undefined {
  const { type, org_id, occurred_at } = stored
  if (!isEventType(type)) return undefined
  const { success, data } = EVENTS[type].body.safeParse(stored.body)
  return success ? ({ type, org_id, occurred_at, body: data } as EventOf) : undefined
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENTS, type)
}

/** One line of at most 200 characters that says what happened. */
export function eventSubject<T extends EventType>(event: EventOf<T>): string {
  return subjectLine(EVENTS[event.type].subject(event.body))
}

/** Path of the console page that shows what the event is about. */
export function eventLink<T extends EventType>(event: EventOf<T>): string {
  return EVENTS[event.type].link(event.body)
}

function inWords(status: string): string {
  return status.replaceAll('_', ' ')
}
