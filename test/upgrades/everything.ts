import { listActivity } from '#contract/activity.ts'
import { readApp } from '#contract/apps/apps.ts'
import { readEnvironment } from '#contract/apps/environment.ts'
import { listInvitations, listMembers } from '#contract/auth/members.ts'
import { listTokens } from '#contract/auth/tokens.ts'
import { readCheck } from '#contract/checks/checks.ts'
import type { Client } from '#contract/core/client.ts'
import { readOrgMaintenance } from '#contract/maintenance/settings.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { listFollows } from '#contract/notifications/follows.ts'
import { listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { listReplies, listTickets, readTicket } from '#contract/tickets.ts'

const alias = 'hello'

/** The example of the embedded default creates some of its own, other ones in each release. */
const isOfExample = (text: string | null | undefined) =>
  /^hello-worker@|^SERVER_API_TOKEN$|: The total of /.test(text ?? '')

/** Reads what `fill.ts` created, without ids and times, which differ between recordings. */
export async function readEverything(client: Client, org_id: string) {
  return { ...(await readPeople(client, org_id)), ...(await readAppUse(client)), ...(await readNotifications(client)) }
}

async function readPeople(client: Client, org_id: string) {
  const [tokens, invitations, members, activity, maintenance] = await Promise.all([
    client.call(listTokens, {}),
    client.call(listInvitations, { org_id }),
    client.call(listMembers, { org_id }),
    client.call(listActivity, { type: 'data_sources' }),
    client.call(readOrgMaintenance, { org_id }),
  ])
  return {
    tokens: tokens.items.map(({ name, expires_at }) => ({ name, expires_at })),
    invitations: invitations.items.map(({ email, role }) => ({ email, role })),
    members: members.items.filter(({ email }) => !isOfExample(email)).map(({ email, role }) => ({ email, role })),
    questions: activity.items.map(({ target, source, status }) => ({ target, source, status })),
    maintenance,
  }
}

async function readAppUse(client: Client) {
  const [app, environment, check, tickets] = await Promise.all([
    client.call(readApp, { alias }),
    client.call(readEnvironment, { alias }),
    client.call(readCheck, { alias, check: 'greeting' }),
    client.call(listTickets, { alias }),
  ])
  const { definition, schedule, threshold, enabled } = check
  const ticket_id = tickets.items[0]!.id
  const { title, body, status } = await client.call(readTicket, { alias, ticket_id })
  const replies = await client.call(listReplies, { alias, ticket_id })
  return {
    app: { name: app.name, state: app.state, revision: app.live_deploy?.revision_message },
    variables: environment.items.map(({ name }) => name).filter((name) => !isOfExample(name)),
    check: { definition, schedule, threshold, enabled },
    ticket: { title, body, status, replies: replies.items.map((reply) => reply.body) },
  }
}

async function readNotifications(client: Client) {
  const [subscriptions, follows, deliveries] = await Promise.all([
    client.call(listSubscriptions, {}),
    client.call(listFollows, {}),
    client.call(listDeliveries, {}),
  ])
  return {
    subscriptions: subscriptions.items.map(({ event_type, channel, timing, enabled }) => ({
      event_type,
      channel: `${channel.kind} ${channel.label}, ${channel.state}`,
      timing,
      enabled,
    })),
    follows: follows.items.map(({ app, categories, frequency }) => ({ app: app.alias, categories, frequency })),
    events: deliveries.items
      .filter(({ event }) => event?.type.startsWith('support.') && !isOfExample(event.subject))
      .map(({ event, status, reason }) => ({ subject: event?.subject, status, reason })),
  }
}

/** Everything that is the same on the embedded default and on Postgres. */
export const EVERYTHING = {
  invitations: [{ email: 'ada@example.com', role: 'developer' }],
  members: [
    { email: 'bob@example.com', role: 'viewer' },
    { email: 'owner@example.com', role: 'owner' },
  ],
  maintenance: {
    enabled: true,
    model: 'builtin/detectors',
    nightly_cron: '30 2 * * *',
    timezone: 'Europe/Berlin',
    cooldown_hours: 24,
  },
  variables: ['GREETING'],
  check: {
    definition: { kind: 'http', target: '/', expected_status: null, contains: 'Hello', timeout_seconds: 10 },
    schedule: { every_minutes: 60 },
    threshold: 3,
    enabled: false,
  },
  ticket: {
    title: 'The greeting is too loud',
    body: 'Could it be lower case?',
    status: 'in_progress',
    replies: ['It will be.'],
  },
  subscriptions: [
    {
      event_type: 'deploy.failed',
      channel: 'webhook Pager (https://93.184.215.14 …4b36), active',
      timing: 'daily',
      enabled: true,
    },
    { event_type: 'support.ticket.*', channel: 'email owner@example.com, active', timing: 'hourly', enabled: true },
  ],
  follows: [{ app: 'hello', categories: ['failed_deploys', 'tickets'], frequency: 'daily' }],
  events: [
    'Ticket in Hello is now in progress: The greeting is too loud',
    'New reply to a ticket in Hello: The greeting is too loud',
    'New ticket in Hello: The greeting is too loud',
  ].map((subject) => ({ subject, status: 'not_sent', reason: 'no_subscription' })),
}
