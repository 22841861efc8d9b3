import type { EventOf, EventType } from '#contract/core/events.ts'
import { newId } from '#edge/ids.ts'

const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
const by = { actor_id: newId('usr'), app }
const ticket = { ...by, ticket: { id: newId('tkt'), title: 'The door is stuck' }, reporter_id: null }
const check = { ...by, check: { id: newId('chk'), name: 'Checkout works' } }
const run = { ...by, execution_id: newId('exe') }
const proposal = { ...by, proposal_id: newId('pr') }
const pipeline = { ...by, pipeline: { id: newId('pl'), name: 'Nightly import' }, run_id: null }
const session = { actor_id: null, support_session_id: newId('sup') }

/** One body of each type of event that a subscription can match, all about one app. */
const BODIES: { readonly [T in Exclude<EventType, 'notification.test'>]: EventOf<T>['body'] } = {
  'support.ticket.created': { ...ticket, status: 'filed' },
  'support.ticket.replied': { ...ticket, status: 'replied' },
  'support.ticket.status_changed': { ...ticket, status: 'done' },
  'deploy.failed': { ...by, status: 'BUILD_FAILED', deployment_id: newId('dep') },
  'application.check.failed': { ...check, status: 'fail' },
  'application.check.error': { ...check, status: 'error' },
  'application.check.indeterminate': { ...check, status: 'evidence_limit' },
  'application.check.recovered': { ...check, status: 'pass' },
  'application.maintenance.run.completed': { ...run, status: 'proposed' },
  'application.maintenance.run.failed': { ...run, status: 'agent_error' },
  'application.maintenance.proposal.created': { ...proposal, status: 'proposal' },
  'application.maintenance.proposal.approved': { ...proposal, status: 'approved' },
  'application.maintenance.proposal.denied': { ...proposal, status: 'denied' },
  'application.maintenance.proposal.watched': { ...proposal, status: 'back' },
  'pipeline.run.failed': { ...pipeline, status: 'failed' },
  'pipeline.run.recovered': { ...pipeline, status: 'recovered' },
  'pipeline.run.host_offline': { ...pipeline, status: 'host_offline' },
  'pipeline.run.missed': { ...pipeline, status: 'missed' },
  'org.support_access.started': { ...session, status: 'read_only' },
  'org.support_access.elevated': { ...session, status: 'read_write' },
}

export type SubscribableType = keyof typeof BODIES
export const SUBSCRIBABLE_TYPES = Object.keys(BODIES) as readonly SubscribableType[]
export const EXAMPLE_APP = app

export function exampleEvent(type: SubscribableType, orgId: string): EventOf {
  return { type, org_id: orgId, occurred_at: new Date('2026-05-01T10:00:00Z'), body: BODIES[type] } as EventOf
}
