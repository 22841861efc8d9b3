/** Event types of the product; an event is written to the outbox in the transaction of the change it tells of. */
export const EVENT_TYPES = [
  'support.ticket.created',
  'support.ticket.replied',
  'support.ticket.status_changed',
  'deploy.failed',
  'application.check.failed',
  'application.check.error',
  'application.check.indeterminate',
  'application.check.recovered',
  'application.maintenance.run.completed',
  'application.maintenance.run.failed',
  'application.maintenance.proposal.created',
  'application.maintenance.proposal.approved',
  'application.maintenance.proposal.denied',
  'pipeline.run.failed',
  'pipeline.run.recovered',
  'pipeline.run.host_offline',
  'pipeline.run.missed',
  'org.support_access.started',
  'org.support_access.elevated',
] as const
export type EventType = (typeof EVENT_TYPES)[number]
