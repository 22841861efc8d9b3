import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EventOf } from '#contract/core/events.ts'
import { listChannels, testChannel } from '#contract/notifications/channels.ts'
import { listDeliveries, resendDelivery } from '#contract/notifications/deliveries.ts'
import { configureForum, connectForum, disconnectForum } from '#contract/notifications/forum.ts'
import { createSubscription, listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { emit } from '#ports/emit.ts'
import { type FakeDiscourse, startFakeDiscourse } from '#test/outside/fake-discourse.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const KEY = '9f2c77d0a1e4b6830c5d92e1f7a48b36'
const CATEGORY = 5

describe('NO-11 a forum', () => {
  let system: System
  let forum: FakeDiscourse
  let admin: Awaited<ReturnType<System['member']>>
  beforeAll(async () => {
    forum = await startFakeDiscourse()
    system = await startSystem({ env: { SVC_FORUM_ALLOWED_NETWORKS: '127.0.0.0/8' } })
    // The system searches its tables and logs for these when it stops.
    system.secrets.push(KEY)
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await forum[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    admin = await system.member('admin')
    forum.keys = new Map([[KEY, 'all']])
    forum.accounts = new Set([admin.user_id])
    forum.suspended = new Set()
    forum.categories = new Set([CATEGORY])
    forum.topics = []
    forum.incidents = []
    forum.readStatus = undefined
    forum.requests = []
  })

  const api = () => system.client(admin.token)
  const connect = (api_key = KEY) => api().call(connectForum, { api_key })
  const configure = (url = forum.url, category = CATEGORY) => api().call(configureForum, { config: { url, category } })
  const refusalOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => expect.fail('was not refused'),
      (refused) => refused,
    )
    return { status: error.status, code: error.code, message: error.message }
  }
  const deployFailed = (actor_id: string | null): EventOf<'deploy.failed'> => ({
    type: 'deploy.failed',
    org_id: admin.org_id,
    occurred_at: new Date(),
    body: {
      status: 'BUILD_FAILED',
      actor_id,
      app: { id: newId('app'), alias: 'shop', name: 'Shop' },
      deployment_id: newId('dep'),
    },
  })
  const failDeploy = (actor: string | null = admin.user_id) => system.db.tx((tx) => emit(tx, deployFailed(actor)))
  const subscribed = async (timing: 'immediately' | 'hourly' = 'immediately') => {
    await connect()
    const { id } = await configure()
    await api().call(createSubscription, { event_type: 'deploy.*', channel_id: id, timing })
    return id
  }
  const ledger = async () => (await api().call(listDeliveries, {})).items
  const ended = (reason: string | null) =>
    until(async () =>
      (await ledger()).find((one) => one.reason === reason && ['delivered', 'not_sent'].includes(one.status)),
    )
  const retrying = () => until(async () => (await ledger()).find(({ status }) => status === 'retrying'))
  const retryNow = async () => {
    await system.db.query(sql`
      update notifications.deliveries set next_at = clock_timestamp() where org_id = ${admin.org_id} and state = 'pending'`)
    await system.db.query(sql`
      update notifications.destinations set retry_at = clock_timestamp(), paused_until = null
      where org_id = ${admin.org_id} and retry_at is not null`)
    await system.db.query(sql`select pg_notify('svc_notifications', '')`)
  }
  const stored = () =>
    system.db.query<{ state: string; reason: string | null; attempt: number }>(sql`
      select state, reason, attempt from notifications.deliveries where org_id = ${admin.org_id} order by id`)

  describe('is connected with a key first and configured then', () => {
    it('cannot be configured without a key', async () => {
      expect(await refusalOf(configure())).toEqual({
        status: 409,
        code: 'FORUM_NOT_CONNECTED',
        message: 'Save the API key first, with PUT /api/integrations/forum/connection.',
      })
      expect(forum.requests).toEqual([])
    })

    it('is not active until it is configured, and never shows its key', async () => {
      const connected = await connect()
      expect(connected).toMatchObject({ kind: 'forum', state: 'unconfirmed', config: null })
      expect(await refusalOf(api().call(testChannel, { id: connected.id }))).toMatchObject({
        code: 'CHANNEL_NOT_ACTIVE',
      })
      const configured = await configure(`${forum.url}/`)
      expect(configured).toEqual({
        ...connected,
        state: 'active',
        label: `${forum.url} (category 5)`,
        config: { url: forum.url, category: CATEGORY },
      })
      expect((await api().call(listChannels, {})).items).toMatchObject([{ id: connected.id, state: 'active' }])
      expect(JSON.stringify([connected, configured])).not.toContain(KEY)
    })

    it.each<[string, () => void, RegExp]>([
      ['an unknown key', () => forum.keys.clear(), /^The forum refused the API key\./],
      ['a key of one user', () => forum.keys.set(KEY, 'olu'), /^The API key belongs to a single user\./],
      ['a category that does not exist', () => forum.categories.clear(), /^The forum has no category 5,/],
      [
        'a forum that refuses to answer',
        () => {
          forum.readStatus = 503
        },
        /^The forum answered with HTTP status 503\./,
      ],
    ])('saves nothing for %s', async (_, prepare, message) => {
      await connect()
      prepare()
      const refusal = await refusalOf(configure())
      expect(refusal).toMatchObject({ status: 409, code: 'FORUM_PROBE_FAILED' })
      expect(refusal.message).toMatch(message)
      expect((await api().call(listChannels, {})).items).toMatchObject([{ state: 'unconfirmed' }])
      expect(forum.topics).toEqual([])
    })

    it.each([
      ['no address', 'forum'],
      ['another scheme', 'ftp://forum.example.com'],
      ['a password', 'https://a:b@forum.example.com'],
      ['a query', 'https://forum.example.com/?a=b'],
      ['a private address that the operator did not allow', 'http://10.0.0.7'],
      ['a port that is not allowed', 'http://127.0.0.1:25'],
    ])('refuses %s', async (_, url) => {
      await connect()
      expect(await refusalOf(configure(url))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    })

    it('refuses a key that cannot be sent', async () => {
      for (const api_key of ['', 'a b', 'a\nb', 'ü', 'x'.repeat(201)])
        expect(await refusalOf(connect(api_key))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    })

    it('never sends its key to another forum', async () => {
      await connect()
      await configure()
      await using other = await startFakeDiscourse()
      expect(await refusalOf(configure(other.url))).toEqual({
        status: 409,
        code: 'FORUM_NOT_CONNECTED',
        message: `The API key was given for ${forum.url}. To use another forum, disconnect this one and connect again.`,
      })
      expect(other.requests).toEqual([])
    })

    it('tries a new key before it replaces the former one', async () => {
      await connect()
      await configure()
      expect(await refusalOf(connect('wrong'))).toMatchObject({ status: 409, code: 'FORUM_PROBE_FAILED' })
      const next = `${KEY}-next`
      system.secrets.push(next)
      forum.keys = new Map([[next, 'all']])
      const { id, state } = await connect(next)
      expect(state).toBe('active')
      await api().call(testChannel, { id })
      await ended(null)
      expect(forum.topics).toHaveLength(1)
    })

    it('is deleted with its key and its subscriptions', async () => {
      await subscribed()
      expect(await api().call(disconnectForum, {})).toEqual({ deleted: true })
      expect((await api().call(listChannels, {})).items).toEqual([])
      expect((await api().call(listSubscriptions, {})).items).toEqual([])
      expect(await refusalOf(api().call(disconnectForum, {}))).toMatchObject({ status: 404 })
      expect(await refusalOf(configure())).toMatchObject({ code: 'FORUM_NOT_CONNECTED' })
    })

    it('the networks that the operator allows for forums are closed to webhooks', async () => {
      const url = `${forum.url}/hook/Vf7Qk2Zp9xLw4TnB`
      expect(await refusalOf(api().call(createWebhook, { url }))).toMatchObject({ code: 'INVALID_REQUEST' })
    })
  })

  describe('gets topics', () => {
    it('posted by the acting user in the category, once', async () => {
      await subscribed()
      await failDeploy()
      await ended(null)
      const [event] = await system.db.query<{ id: string }>(sql`
        select id from notifications.events where org_id = ${admin.org_id}`)
      expect(forum.topics).toMatchObject([
        {
          author: admin.user_id,
          category: CATEGORY,
          external_id: event!.id,
          title: expect.stringMatching(/^Deploy of Shop failed/),
        },
      ])
      expect(forum.requests.filter(({ method }) => method === 'POST')).toEqual([
        { method: 'POST', path: '/posts.json', as: admin.user_id },
      ])
    })

    it('with titles and bodies that differ although the same happened twice', async () => {
      await subscribed()
      await failDeploy()
      await failDeploy()
      await until(async () => forum.topics.length === 2)
      expect((await stored()).map(({ reason }) => reason)).toEqual([null, null])
    })

    it('fails without an account, and is not posted as anybody else', async () => {
      await subscribed()
      forum.accounts.clear()
      await failDeploy()
      expect(await ended('no_forum_account')).toMatchObject({ status: 'not_sent', state: 'failed', attempts: 1 })
      expect(forum.topics).toEqual([])
    })

    it('fails for an account that may not post', async () => {
      await subscribed()
      forum.suspended.add(admin.user_id)
      await failDeploy()
      expect(await ended('http_403')).toMatchObject({ status: 'not_sent', state: 'failed' })
      expect(forum.topics).toEqual([])
    })

    it('fails when nobody caused the event', async () => {
      await subscribed()
      forum.requests = []
      await failDeploy(null)
      expect(await ended('no_acting_user')).toMatchObject({ status: 'not_sent', state: 'failed' })
      expect(forum.requests).toEqual([])
    })

    it('waits while the key is refused, and is posted when it is accepted again', async () => {
      await subscribed()
      forum.keys.clear()
      await failDeploy()
      expect(await retrying()).toMatchObject({ reason: 'forum_key_refused' })
      forum.keys.set(KEY, 'all')
      await retryNow()
      await ended(null)
      expect(forum.topics).toHaveLength(1)
    })

    it.each<[string, FakeDiscourse['incidents'][number]]>([
      ['the connection breaks after it was posted', 'lost_after'],
      ['a gateway gives up after it was posted', { statusAfter: 504 }],
    ])('is found when %s, and is not posted again', async (_, incident) => {
      await subscribed()
      forum.incidents = [incident]
      await failDeploy()
      expect(await ended(null)).toMatchObject({ status: 'delivered', attempts: 1 })
      expect(forum.topics).toHaveLength(1)
    })

    it.each<[string, FakeDiscourse['incidents'][number], string]>([
      ['the connection breaks before it is posted', 'lost_before', 'io'],
      ['another site answers', 'other_site', 'unexpected_answer'],
      ['the forum fails', { status: 500 }, 'http_500'],
      ['the forum is read-only', { status: 503 }, 'http_503'],
    ])('is posted later when %s', async (_, incident, reason) => {
      await subscribed()
      forum.incidents = [incident]
      await failDeploy()
      expect(await retrying()).toMatchObject({ reason })
      await retryNow()
      expect(await ended(null)).toMatchObject({ status: 'delivered', attempts: 2 })
      expect(forum.topics).toHaveLength(1)
    })

    it('that a moderator must approve first count as delivered', async () => {
      await subscribed()
      forum.incidents = ['enqueued']
      await failDeploy()
      expect(await ended(null)).toMatchObject({ status: 'delivered' })
    })

    it('a limit of one author delays that topic and no other', async () => {
      await subscribed()
      const other = newId('usr')
      forum.accounts.add(other)
      forum.incidents = [{ status: 429, headers: { 'retry-after': '7200' } }]
      await failDeploy()
      expect(await retrying()).toMatchObject({ reason: 'http_429' })
      await failDeploy(other)
      await ended(null)
      expect(forum.topics).toMatchObject([{ author: other }])
    })

    it('a limit of the key delays all topics', async () => {
      await subscribed()
      const headers = { 'retry-after': '40', 'discourse-rate-limit-error-code': 'admin_api_key_rate_limit' }
      forum.incidents = [{ status: 429, headers }]
      await failDeploy()
      await retrying()
      const [{ seconds } = { seconds: 0 }] = await system.db.query<{ seconds: number }>(sql`
        select extract(epoch from paused_until - clock_timestamp())::float8 as seconds
        from notifications.destinations where org_id = ${admin.org_id}`)
      expect(seconds).toBeGreaterThan(20)
    })

    it('refused as not valid fail and name the answer', async () => {
      await subscribed()
      forum.incidents = [{ status: 422 }]
      await failDeploy()
      expect(await ended('http_422')).toMatchObject({ status: 'not_sent', state: 'failed' })
    })

    it('stop when there is no forum any more, and go on when it is configured again', async () => {
      await subscribed()
      forum.incidents = [{ status: 404 }]
      await failDeploy()
      await ended('http_404')
      expect((await api().call(listChannels, {})).items).toMatchObject([
        { state: 'disabled', disabled_reason: 'http_404' },
      ])
      expect((await api().call(listSubscriptions, {})).items).toMatchObject([{ enabled: false, disabled_by: 'gone' }])
      expect(await configure()).toMatchObject({ state: 'active' })
      expect((await api().call(listSubscriptions, {})).items).toMatchObject([{ enabled: true }])
      await failDeploy()
      await until(async () => forum.topics.length === 1)
    })

    it('an admin resends are found in the forum instead of being posted twice', async () => {
      await subscribed()
      await failDeploy()
      const { id } = await ended(null)
      await api().call(resendDelivery, { id, may_arrive_twice: true })
      await until(async () => (await stored()).filter(({ state }) => state === 'sent').length === 2)
      expect(forum.topics).toHaveLength(1)
    })

    it('a test notification is posted by the admin who asked for it', async () => {
      await connect()
      const { id } = await configure()
      await api().call(testChannel, { id })
      await ended(null)
      expect(forum.topics).toMatchObject([{ author: admin.user_id, title: expect.stringMatching(/^Test: /) }])
    })
  })
})
