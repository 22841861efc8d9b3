import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, test } from 'vitest'
import { FOLLOW_CATEGORIES } from '#contract/core/event-definition.ts'
import { FOLLOW_WAYS } from '#contract/notifications/follows.ts'
import { Timing } from '#contract/notifications/subscriptions.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { STATUS_CHOICES } from './deliveries/index.ts'
import { CATEGORY_CHOICES, VIA_CHOICES } from './follows/index.ts'
import { TIMING_CHOICES } from './subscriptions/index.ts'

type Call = { method: string; path: string; body: unknown }
type Answer = { status?: number; body: object }

let stop: (() => void) | undefined
afterEach(() => stop?.())

/** An instance that gives these answers, one after another. */
async function startInstance(...answers: Answer[]) {
  const calls: Call[] = []
  const answer = async (request: IncomingMessage) => {
    const sent = await text(request)
    calls.push({ method: request.method!, path: request.url!, body: sent === '' ? undefined : JSON.parse(sent) })
    return answers.shift()!
  }
  const server = createServer((request, response) => {
    void answer(request).then(({ status = 200, body }) => {
      const type = status < 400 ? 'application/json' : 'application/problem+json'
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stop = () => server.close()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { SVC_API_URL: url, SVC_API_KEY: 'svc_key', NO_COLOR: '1' }
  const svc = (line: string, options: { columns?: number; stdin?: string } = {}) =>
    runSvc(line.split(' '), { env, ...options })
  return { calls, svc }
}

const ID = '01jd8y0v7wf9hbq7s7x2e3m4n5'
const CHANNEL = { id: `chn_${ID}`, kind: 'webhook', label: 'Pager (https://hooks.example.com …4TnB)', state: 'active' }
const LISTED_CHANNEL = {
  ...CHANNEL,
  disabled_reason: null,
  failing_since: null,
  created_at: '2026-02-03T04:05:06.789Z',
  standard_webhooks: null,
}
const SUBSCRIPTION = {
  id: `sub_${ID}`,
  event_type: 'application.maintenance.proposal.created',
  channel: CHANNEL,
  timing: 'immediately',
  enabled: false,
  disabled_by: 'connection_lost',
  notice: null,
  created_at: '2026-02-03T04:05:06.789Z',
}
const FOLLOW = {
  app: { id: `app_${ID}`, alias: 'shop', name: 'Shop' },
  categories: ['checks', 'maintenance', 'failed_deploys', 'tickets'],
  frequency: 'immediately',
  via: 'mail',
  last_outcome: {
    status: 'not_sent',
    reason: 'chat_installation_broken',
    event_type: 'application.check.failed',
    occurred_at: '2026-02-03T04:05:06.789Z',
  },
}
const ENTRY = {
  id: `ntf_${ID}`,
  event: {
    id: `evt_${ID}`,
    type: 'deploy.failed',
    subject: 'Deploy of Shop\u001b[2J failed: BUILD_FAILED',
    occurred_at: '2026-02-03T04:05:06.789Z',
    app: 'shop',
    link: 'https://svc.example.com/apps/shop',
  },
  destination: { kind: 'webhook', channel_id: CHANNEL.id, user_id: null, label: CHANNEL.label },
  status: 'not_sent',
  state: 'failed',
  reason: 'outcome_unknown',
  delivery_id: `dlv_${ID}`,
  attempts: 1,
  next_attempt_at: null,
  created_at: '2026-02-03T04:05:06.789Z',
}
const TRY = {
  attempt: 1,
  started_at: '2026-02-03T04:05:07.000Z',
  ended_at: '2026-02-03T04:05:08.000Z',
  outcome: 'unknown',
  reason: 'io',
  status: null,
}

test('CL-03 the choices of the commands are those of the API', () => {
  expect(TIMING_CHOICES).toEqual(Timing.options)
  expect(CATEGORY_CHOICES).toEqual(FOLLOW_CATEGORIES)
  expect(VIA_CHOICES).toEqual(FOLLOW_WAYS)
  expect(STATUS_CHOICES).toEqual(['pending', 'retrying', 'delivered', 'not_sent'])
})

describe('CL-03 lists fit a terminal of 80 columns, and -o json prints the document of the API', () => {
  it.each([
    ['notifications channels list', { items: [LISTED_CHANNEL] }, /^ID +KIND +STATE +FAILING SINCE +LABEL$/],
    ['notifications follows list', { items: [FOLLOW] }, /^APP +CATEGORIES +FREQUENCY +VIA +LAST EVENT +OUTCOME$/],
    ['notifications deliveries list', { items: [ENTRY], next_cursor: null }, /^ID +WHEN +STATUS +TO +EVENT$/],
  ])('svc %s', async (line, body, header) => {
    const { svc } = await startInstance({ body }, { body }, { body })
    const shown = await svc(line, { columns: 80 })
    const lines = shown.stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(header)
    for (const one of lines) expect(one.length).toBeLessThanOrEqual(80)
    expect(JSON.parse((await svc(`${line} -o json`)).stdout)).toEqual(body)
    expect((await svc(`${line} -o table`)).stdout).not.toContain('…4TnB…')
  })

  it('svc notifications subscriptions list prints blocks where the columns are too wide, and cuts no id', async () => {
    const { svc } = await startInstance({ body: { items: [SUBSCRIPTION] } })
    const lines = (await svc('notifications subscriptions list', { columns: 80 })).stdout.trimEnd().split('\n')
    expect(lines.map((one) => one.split(/ {2,}/)[0])).toEqual(['ID', 'EVENT', 'TIMING', 'STATE', 'CHANNEL'])
    expect(lines[0]).toContain(SUBSCRIPTION.id)
    for (const one of lines) expect(one.length).toBeLessThanOrEqual(80)
  })

  it.each([
    ['notifications subscriptions list', 'Your organization has no subscriptions.'],
    ['notifications channels list', 'Your organization has no channels. Connect one over HTTP;'],
    ['notifications follows list', 'You follow no apps.'],
    ['notifications deliveries list', 'Nothing has happened in your organization yet.'],
    ['notifications deliveries list --status not_sent', 'No entry matches.'],
  ])('svc %s says so on stderr when there is nothing', async (line, words) => {
    const { svc } = await startInstance({ body: { items: [], next_cursor: null } })
    const { exit, stdout, stderr } = await svc(line)
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' })
    expect(stderr).toContain(words)
  })
})

describe('NO-04 svc notifications subscriptions', () => {
  it('add subscribes a channel', async () => {
    const { svc, calls } = await startInstance({ status: 201, body: SUBSCRIPTION })
    const { exit, stdout } = await svc(`notifications subscriptions add deploy.* ${CHANNEL.id} --timing daily`)
    expect(exit).toBe(0)
    expect(stdout).toBe(`Subscribed ${CHANNEL.label} to ${SUBSCRIPTION.event_type}: ${SUBSCRIPTION.id}.\n`)
    expect(calls).toEqual([
      {
        method: 'POST',
        path: '/api/notifications/subscriptions',
        body: { event_type: 'deploy.*', channel_id: CHANNEL.id, timing: 'daily' },
      },
    ])
  })

  it('remove asks first, and needs --yes without a terminal', async () => {
    const { svc, calls } = await startInstance({ body: { deleted: true } })
    const refused = await svc(`notifications subscriptions remove ${SUBSCRIPTION.id}`)
    expect(refused).toMatchObject({ exit: 5, stdout: '' })
    expect(refused.stderr).toContain('Add --yes to confirm.')
    expect(calls).toEqual([])
    const removed = await svc(`notifications subscriptions remove ${SUBSCRIPTION.id} --yes`)
    expect(removed).toMatchObject({ exit: 0, stdout: `Removed ${SUBSCRIPTION.id}.\n` })
    expect(calls).toMatchObject([{ method: 'DELETE', path: `/api/notifications/subscriptions/${SUBSCRIPTION.id}` }])
  })
})

describe('NO-05 svc notifications follows', () => {
  it('set replaces the choice for an app', async () => {
    const { svc, calls } = await startInstance({ body: { ...FOLLOW, via: 'chat', categories: ['checks', 'tickets'] } })
    const { exit, stdout } = await svc('notifications follows set shop --category checks --category tickets')
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'You follow shop: checks, tickets, immediately.\n' })
    expect(calls).toEqual([
      { method: 'PUT', path: '/api/notifications/follows/shop', body: { categories: ['checks', 'tickets'] } },
    ])
  })

  it('set --via mail chooses mail in place of a direct message', async () => {
    const settings = { timezone: 'UTC', mail: 'mailbox' }
    const { svc, calls } = await startInstance({ body: { ...FOLLOW, categories: ['checks'] } }, { body: settings })
    const { stdout, stderr } = await svc('notifications follows set shop --category checks --via mail')
    expect(stdout).toBe('You follow shop: checks, immediately, by mail.\n')
    expect(stderr).toMatch(
      /^No mail server is configured: mails are in the local mailbox, http:\S+\/mailbox, which owners open on the machine/,
    )
    expect(calls[0]!.body).toEqual({ categories: ['checks'], via: 'mail' })
  })

  it('set without a category says how to stop following', async () => {
    const { svc, calls } = await startInstance()
    const { exit, stderr } = await svc('notifications follows set shop')
    expect(exit).toBe(5)
    expect(stderr).toContain('To stop following the app: svc notifications follows remove shop')
    expect(calls).toEqual([])
  })

  it('remove follows the app no more', async () => {
    const { svc, calls } = await startInstance({ body: { ...FOLLOW, categories: [] } })
    expect(await svc('notifications follows remove shop')).toMatchObject({
      exit: 0,
      stdout: 'You do not follow shop any more.\n',
    })
    expect(calls).toEqual([{ method: 'PUT', path: '/api/notifications/follows/shop', body: { categories: [] } }])
  })

  it('an app that the person has no part in exits with 4', async () => {
    const { svc } = await startInstance(
      { status: 404, body: { code: 'NOT_FOUND', detail: 'No such app.' } },
      { body: { items: [], next_cursor: null } },
    )
    const { exit, stdout, stderr } = await svc('notifications follows set blog --category checks')
    expect({ exit, stdout }).toEqual({ exit: 4, stdout: '' })
    expect(stderr).toContain('No such app `blog`.')
  })
})

describe('NO-12 svc notifications deliveries', () => {
  it('list passes its filters on', async () => {
    const { svc, calls } = await startInstance({ body: { items: [ENTRY], next_cursor: null } })
    const filters = '--status not_sent --event-type support.ticket.* --app shop --channel chn_1 --limit 5'
    await svc(`notifications deliveries list ${filters}`)
    const query = new URL(calls[0]!.path, 'http://x').searchParams
    expect(Object.fromEntries(query)).toEqual({
      status: 'not_sent',
      event_type: 'support.ticket.*',
      app: 'shop',
      channel_id: 'chn_1',
      limit: '5',
    })
  })

  it('list names the person that a message went to', async () => {
    const user_id = `usr_${ID}`
    const entry = { ...ENTRY, destination: { kind: 'email', channel_id: null, user_id, label: null } }
    const { svc } = await startInstance(
      { body: { items: [entry], next_cursor: null } },
      {
        body: {
          kind: 'user',
          user: null,
          org: { id: `org_${ID}`, name: 'Obi', slug: 'obi' },
          role: 'admin',
          read_only: false,
        },
      },
      { body: { items: [{ user_id, name: 'Ada Obi' }] } },
    )
    expect(await svc('notifications deliveries list')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('email Ada Obi'),
    })
  })

  it('show prints the entry and each attempt, without control characters of the subject', async () => {
    const { svc } = await startInstance({ body: { ...ENTRY, tries: [TRY] } })
    const { exit, stdout } = await svc(`notifications deliveries show ${ENTRY.id}`)
    expect(exit).toBe(0)
    expect(stdout).toBe(
      [
        'Event     deploy.failed',
        'Subject   Deploy of Shop [2J failed: BUILD_FAILED',
        'Happened  2026-02-03T04:05:06.789Z',
        'To        webhook Pager (https://hooks.example.com …4TnB)',
        'Status    not sent: outcome_unknown',
        'Link      https://svc.example.com/apps/shop',
        '',
        'ATTEMPT  STARTED                   OUTCOME  REASON  ANSWER',
        '1        2026-02-03T04:05:07.000Z  unknown  io',
        '',
      ].join('\n'),
    )
  })

  it.each([
    ['an unknown outcome', { state: 'failed', reason: 'outcome_unknown' }, true],
    ['a delivered message', { state: 'sent', status: 'delivered', reason: null }, true],
    ['a message that was refused', { state: 'failed', reason: 'http_400' }, false],
  ])('resend of %s needs --yes and says whether it may arrive twice', async (_, over, mayArriveTwice) => {
    const entry = { body: { ...ENTRY, ...over, tries: [TRY] } }
    const { svc, calls } = await startInstance(entry, entry, { body: { delivery_id: 'dlv_2' } })
    const refused = await svc(`notifications deliveries resend ${ENTRY.id}`)
    expect(refused).toMatchObject({ exit: 5, stdout: '' })
    expect(refused.stderr.includes('It may arrive twice')).toBe(mayArriveTwice)
    expect(calls.map(({ method }) => method)).toEqual(['GET'])
    const sent = await svc(`notifications deliveries resend ${ENTRY.id} --yes`)
    expect(sent).toMatchObject({ exit: 0, stdout: 'The message is sent again as dlv_2.\n' })
    expect(sent.stderr.includes('Warning: this message may arrive twice.')).toBe(mayArriveTwice)
    expect(calls.at(-1)).toMatchObject({
      method: 'POST',
      path: `/api/notifications/deliveries/${ENTRY.id}/resend`,
      body: { may_arrive_twice: mayArriveTwice },
    })
  })
})

describe('svc notifications channels', () => {
  it('test sends a test notification and says where its outcome is', async () => {
    const { svc, calls } = await startInstance({ status: 202, body: { notification_id: ENTRY.id } })
    const { exit, stdout, stderr } = await svc(`notifications channels test ${CHANNEL.id}`)
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `A test notification is on its way to ${CHANNEL.id}.\n` })
    expect(stderr).toContain(`svc notifications deliveries show ${ENTRY.id}`)
    expect(calls).toMatchObject([{ method: 'POST', path: `/api/notifications/channels/${CHANNEL.id}/test` }])
  })
})

describe('NO-17 the signing secret of a webhook', () => {
  const SECRET = 'whsec_c3ZjLWV4YW1wbGUtc2VjcmV0LWZvci1kb2NzLTAwMDE='

  it('is printed alone when it is generated or replaced, with a note until when the former one signs', async () => {
    const created = { secret: SECRET, created_at: '2026-02-03T04:05:06.789Z', former_ends_at: null }
    const rotated = { ...created, former_ends_at: '2026-02-04T04:05:06.789Z' }
    const { svc, calls } = await startInstance({ status: 201, body: created }, { status: 201, body: rotated })
    const first = await svc(`notifications channels rotate-secret ${CHANNEL.id}`)
    expect(first).toMatchObject({ exit: 0, stdout: `${SECRET}\n` })
    expect(first.stderr).toMatch(/^The secret is not shown again\.[^\n]+\n$/)
    const second = await svc(`notifications channels rotate-secret ${CHANNEL.id}`)
    expect(second.stderr).toMatch(/The former secret goes on signing until .+\.\n$/)
    const path = `/api/integrations/webhooks/${CHANNEL.id}/secret`
    expect(calls).toMatchObject([
      { method: 'POST', path },
      { method: 'POST', path },
    ])
  })

  it('is deleted after a question', async () => {
    const { svc, calls } = await startInstance({ body: { deleted: true } })
    expect(await svc(`notifications channels delete-secret ${CHANNEL.id}`)).toMatchObject({ exit: 5, stdout: '' })
    expect(await svc(`notifications channels delete-secret ${CHANNEL.id} --yes`)).toMatchObject({
      exit: 0,
      stdout: `Deleted the signing secret of ${CHANNEL.id}.\n`,
    })
    expect(calls).toMatchObject([{ method: 'DELETE', path: `/api/integrations/webhooks/${CHANNEL.id}/secret` }])
  })
})
