import { describe, expect, it } from 'vitest'
import {
  EVENT_TYPES,
  EVENTS,
  type EventOf,
  eventLink,
  eventSubject,
  parseEventBody,
  readStoredEvent,
} from './events.ts'

const id = (prefix: string) => `${prefix}_01jd8y0v7wf9hbq7s7x2e3m4n5`
const at = { org_id: id('org'), occurred_at: new Date('2026-02-03T04:05:06.789Z') }
const app = { id: id('app'), alias: 'web-shop', name: 'Web shop' }
const by = { actor_id: id('usr'), app }
const ticket = { ...by, ticket: { id: id('tkt'), title: 'The door is stuck' }, reporter_id: id('usr') }
const check = { ...by, check: { id: id('chk'), name: 'Checkout works' } }
const run = { ...by, execution_id: id('exe') }
const proposal = { ...by, proposal_id: id('pr') }
const pipeline = { ...by, pipeline: { id: id('pl'), name: 'Nightly import' }, run_id: null }
const session = { actor_id: null, support_session_id: id('sup') }

/** One event of each type and status, with the category, subject and link that the product promises for it. */
const EXAMPLES: [EventOf, category: string | null, subject: string, link: string][] = [
  [
    { ...at, type: 'support.ticket.created', body: { ...ticket, status: 'filed' } },
    'tickets',
    'New ticket in Web shop: The door is stuck',
    `/apps/web-shop/tickets/${id('tkt')}`,
  ],
  [
    { ...at, type: 'support.ticket.replied', body: { ...ticket, status: 'replied' } },
    'tickets',
    'New reply to a ticket in Web shop: The door is stuck',
    `/apps/web-shop/tickets/${id('tkt')}`,
  ],
  ...(['open', 'in_progress', 'done'] as const).map((status): (typeof EXAMPLES)[number] => [
    { ...at, type: 'support.ticket.status_changed', body: { ...ticket, status } },
    'tickets',
    `Ticket in Web shop is now ${{ open: 'open', in_progress: 'in progress', done: 'done' }[status]}: The door is stuck`,
    `/apps/web-shop/tickets/${id('tkt')}`,
  ]),
  ...(
    [
      'BUILD_FAILED',
      'START_FAILED',
      'HEALTH_FAILED',
      'CRASH_LOOP',
      'HARMFUL_ANSWERS',
      'TIMED_OUT',
      'INTERRUPTED',
    ] as const
  ).map((status): (typeof EXAMPLES)[number] => [
    { ...at, type: 'deploy.failed', body: { ...by, status, deployment_id: id('dep') } },
    'failed_deploys',
    `Deploy of Web shop failed: ${status}`,
    `/apps/web-shop/deploys/${id('dep')}`,
  ]),
  [
    { ...at, type: 'application.check.failed', body: { ...check, status: 'fail' } },
    'checks',
    'Check failed in Web shop: Checkout works',
    `/apps/web-shop/checks/${id('chk')}`,
  ],
  [
    { ...at, type: 'application.check.error', body: { ...check, status: 'error' } },
    'checks',
    'Check could not run in Web shop: Checkout works',
    `/apps/web-shop/checks/${id('chk')}`,
  ],
  [
    { ...at, type: 'application.check.indeterminate', body: { ...check, status: 'evidence_limit' } },
    'checks',
    'Check was inconclusive in Web shop (evidence limit): Checkout works',
    `/apps/web-shop/checks/${id('chk')}`,
  ],
  [
    { ...at, type: 'application.check.indeterminate', body: { ...check, status: 'budget_exhausted' } },
    'checks',
    'Check was inconclusive in Web shop (budget exhausted): Checkout works',
    `/apps/web-shop/checks/${id('chk')}`,
  ],
  [
    { ...at, type: 'application.check.recovered', body: { ...check, status: 'pass' } },
    'checks',
    'Check passes again in Web shop: Checkout works',
    `/apps/web-shop/checks/${id('chk')}`,
  ],
  ...(
    [
      ['found_nothing', 'found nothing'],
      ['finding_recorded', 'finding recorded'],
      ['proposed', 'proposed'],
      ['budget_exhausted', 'budget exhausted'],
    ] as const
  ).map(([status, words]): (typeof EXAMPLES)[number] => [
    { ...at, type: 'application.maintenance.run.completed', body: { ...run, status } },
    'maintenance',
    `Maintenance run of Web shop finished: ${words}`,
    `/apps/web-shop/maintenance/${id('exe')}`,
  ]),
  [
    { ...at, type: 'application.maintenance.run.failed', body: { ...run, status: 'agent_error' } },
    'maintenance',
    'Maintenance run of Web shop could not finish',
    `/apps/web-shop/maintenance/${id('exe')}`,
  ],
  [
    { ...at, type: 'application.maintenance.proposal.created', body: { ...proposal, status: 'proposal' } },
    'maintenance',
    'Change proposed for Web shop: waiting for a decision',
    `/apps/web-shop/changes/${id('pr')}`,
  ],
  [
    { ...at, type: 'application.maintenance.proposal.approved', body: { ...proposal, status: 'approved' } },
    'maintenance',
    'Proposed change for Web shop was approved',
    `/apps/web-shop/changes/${id('pr')}`,
  ],
  [
    { ...at, type: 'application.maintenance.proposal.denied', body: { ...proposal, status: 'denied' } },
    'maintenance',
    'Proposed change for Web shop was denied',
    `/apps/web-shop/changes/${id('pr')}`,
  ],
  [
    { ...at, type: 'application.maintenance.proposal.watched', body: { ...proposal, status: 'gone' } },
    'maintenance',
    'Fault is gone after the deploy of a proposed change for Web shop',
    `/apps/web-shop/changes/${id('pr')}`,
  ],
  [
    { ...at, type: 'application.maintenance.proposal.watched', body: { ...proposal, status: 'back' } },
    'maintenance',
    'Fault is back after the deploy of a proposed change for Web shop',
    `/apps/web-shop/changes/${id('pr')}`,
  ],
  [
    { ...at, type: 'application.maintenance.proposal.watched', body: { ...proposal, status: 'no_requests' } },
    'maintenance',
    'No request in the log after the deploy of a proposed change for Web shop',
    `/apps/web-shop/changes/${id('pr')}`,
  ],
  [
    { ...at, type: 'application.maintenance.proposal.watched', body: { ...proposal, status: 'not_read' } },
    'maintenance',
    'Log was not read whole after the deploy of a proposed change for Web shop',
    `/apps/web-shop/changes/${id('pr')}`,
  ],
  [
    { ...at, type: 'pipeline.run.failed', body: { ...pipeline, status: 'failed', run_id: id('plr') } },
    null,
    'Pipeline failed in Web shop: Nightly import',
    `/apps/web-shop/pipelines/${id('pl')}`,
  ],
  [
    { ...at, type: 'pipeline.run.recovered', body: { ...pipeline, status: 'recovered', run_id: id('plr') } },
    null,
    'Pipeline recovered in Web shop: Nightly import',
    `/apps/web-shop/pipelines/${id('pl')}`,
  ],
  [
    { ...at, type: 'pipeline.run.host_offline', body: { ...pipeline, status: 'host_offline' } },
    null,
    'No worker was connected for a pipeline in Web shop: Nightly import',
    `/apps/web-shop/pipelines/${id('pl')}`,
  ],
  [
    { ...at, type: 'pipeline.run.missed', body: { ...pipeline, status: 'missed' } },
    null,
    'Scheduled pipeline run did not happen in Web shop: Nightly import',
    `/apps/web-shop/pipelines/${id('pl')}`,
  ],
  [
    { ...at, type: 'org.support_access.started', body: { ...session, status: 'read_only' } },
    null,
    'Vendor staff entered the organization in a read-only support session',
    '/settings/organization/audit',
  ],
  [
    { ...at, type: 'org.support_access.elevated', body: { ...session, status: 'read_write' } },
    null,
    'A support session of vendor staff was raised to read and write',
    '/settings/organization/audit',
  ],
  [
    { ...at, type: 'notification.test', body: { actor_id: id('usr'), status: 'test', channel_id: id('chn') } },
    null,
    'Test: notifications reach this channel',
    '/settings/organization/integrations',
  ],
]

describe('NO-02 the table of events', () => {
  it('has the twenty types of the product and the one of test notifications, and each status code has an example here', () => {
    expect(EVENT_TYPES.filter((type) => type !== 'notification.test')).toHaveLength(20)
    expect(EVENT_TYPES).toHaveLength(21)
    const codes = EVENT_TYPES.flatMap((type) => EVENTS[type].statuses.map((status) => `${type} ${status}`))
    expect(EXAMPLES.map(([{ type, body }]) => `${type} ${body.status}`)).toEqual(codes)
  })

  it.each(EXAMPLES.map(([event, ...rest]) => [`${event.type} ${event.body.status}`, event, ...rest] as const))(
    'NO-05 NO-15 %s has its category, subject and link',
    (_, event, category, subject, link) => {
      expect(parseEventBody(event)).toEqual(event.body)
      expect(readStoredEvent({ ...event, body: JSON.parse(JSON.stringify(event.body)) })).toEqual(event)
      expect(EVENTS[event.type].category).toBe(category)
      expect(eventSubject(event)).toBe(subject)
      expect(eventLink(event)).toBe(link)
    },
  )
})

describe('NO-01 the body of an event', () => {
  const failed = { ...at, type: 'deploy.failed' as const }
  const body = { ...by, status: 'BUILD_FAILED' as const, deployment_id: id('dep') }

  it('takes no line of a log', () => {
    // @ts-expect-error: the body of this type has no such key
    const event: EventOf<'deploy.failed'> = { ...failed, body: { ...body, log: 'npm error: secret' } }
    expect(() => parseEventBody(event)).toThrow('Unrecognized key')
  })

  it('takes no status code of another type', () => {
    // @ts-expect-error: `done` is a status of tickets
    const event: EventOf<'deploy.failed'> = { ...failed, body: { ...body, status: 'done' } }
    expect(() => parseEventBody(event)).toThrow('Invalid option')
  })

  it('takes no body of another type', () => {
    // @ts-expect-error: a deploy is not about a ticket
    const event: EventOf<'deploy.failed'> = { ...failed, body: { ...ticket, status: 'BUILD_FAILED' } }
    expect(() => parseEventBody(event)).toThrow()
  })

  it.each([
    ['the id of another kind', { ...body, deployment_id: id('tkt') }],
    ['a secret in place of an id', { ...body, deployment_id: 'svc_abc' }],
    ['an acting user that is no user', { ...body, actor_id: 'operator' }],
    ['an alias that leads to another page', { ...body, app: { ...app, alias: '../settings' } }],
    ['an unknown key inside the app', { ...body, app: { ...app, url: 'https://x.example' } }],
  ])('does not take %s', (_, wrong) => {
    expect(() => parseEventBody({ ...failed, body: wrong })).toThrow()
  })

  it('shortens a name that people typed instead of refusing it', () => {
    const long = { ...ticket, ticket: { id: id('tkt'), title: `first\nline ${'x'.repeat(500)}` } }
    const event = { ...at, type: 'support.ticket.created' as const, body: { ...long, status: 'filed' as const } }
    const { title } = parseEventBody(event).ticket
    expect(title).toBe(`first line ${'x'.repeat(188)}…`)
    expect(eventSubject(event)).toHaveLength(200)
  })
})

describe('NO-01 an event of another release', () => {
  const stored = { ...at, type: 'deploy.failed', body: { ...by, status: 'BUILD_FAILED', deployment_id: id('dep') } }
  it.each([
    ['a type that is not known', { ...stored, type: 'deploy.paused' }],
    ['a type that every object has', { ...stored, type: 'constructor' }],
    ['a status that is not known', { ...stored, body: { ...stored.body, status: 'DISK_FULL' } }],
    ['a body that is no object', { ...stored, body: null }],
  ])('with %s is not read', (_, event) => {
    expect(readStoredEvent(event)).toBeUndefined()
  })
})
