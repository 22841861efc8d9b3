import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listChannels } from '#contract/notifications/channels.ts'
import { changeNotificationSettings, readNotificationSettings } from '#contract/notifications/settings.ts'
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
} from '#contract/notifications/subscriptions.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { stores } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { insertChannel } from '../channels/store.ts'

const sealer = createSealer(['ab'.repeat(32)])

describe('NO-04 subscriptions of an organization', () => {
  let system: System
  let admin: Awaited<ReturnType<System['member']>>
  let channelId: string
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    admin = await system.member('admin')
    channelId = await addChannel(admin.org_id)
  })

  const addChannel = async (org_id: string) => {
    const added = {
      org_id,
      kind: 'webhook',
      label: 'https://hooks.example.com …WU3d',
      settings: {},
      secret: 's',
    } as const
    return (await system.db.tx((tx) => insertChannel(tx, sealer, added))).id
  }
  const api = () => system.client(admin.token)
  const create = (event_type: string, channel_id = channelId) =>
    api().call(createSubscription, { event_type, channel_id })
  const refusalOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => expect.fail('was not refused'),
      (refused) => refused,
    )
    return { status: error.status, code: error.code, message: error.message }
  }

  it('are made by an admin with a free text, and listed', async () => {
    const subscription = await create('support.ticket.*')
    expect(subscription).toEqual({
      id: expect.stringMatching(/^sub_/),
      event_type: 'support.ticket.*',
      channel: { id: channelId, kind: 'webhook', label: 'https://hooks.example.com …WU3d', state: 'active' },
      timing: 'immediately',
      enabled: true,
      disabled_by: null,
      notice: null,
      created_at: expect.any(String),
    })
    expect((await api().call(listSubscriptions, {})).items).toEqual([subscription])
    expect((await api().call(listChannels, {})).items).toMatchObject([{ id: channelId, state: 'active' }])
  })

  it('of a type that does not exist are refused with the nearest one', async () => {
    expect(await refusalOf(create('deploy.fialed'))).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
      message: 'No event type matches "deploy.fialed". Did you mean deploy.failed?',
    })
  })

  it('that exist are refused a second time', async () => {
    await create('deploy.failed')
    expect(await refusalOf(create('deploy.failed'))).toEqual({
      status: 409,
      code: 'SUBSCRIPTION_EXISTS',
      message: 'This channel is already subscribed to deploy.failed.',
    })
  })

  it("never reach another organization's channel or subscription", async () => {
    const subscription = await create('deploy.failed')
    const other = system.client((await system.member('admin')).token)
    const missing = { status: 404, code: 'NOT_FOUND' }
    expect(
      await refusalOf(other.call(createSubscription, { event_type: 'deploy.*', channel_id: channelId })),
    ).toMatchObject(missing)
    expect(await refusalOf(other.call(changeSubscription, { id: subscription.id, enabled: false }))).toMatchObject(
      missing,
    )
    expect(await refusalOf(other.call(deleteSubscription, { id: subscription.id }))).toMatchObject(missing)
    expect((await other.call(listSubscriptions, {})).items).toEqual([])
    expect((await other.call(listChannels, {})).items).toEqual([])
  })

  it('are disabled, retimed and enabled again; what is not named stays', async () => {
    const { id } = await create('deploy.failed')
    expect(await api().call(changeSubscription, { id, enabled: false })).toMatchObject({
      enabled: false,
      disabled_by: 'admin',
      timing: 'immediately',
    })
    expect(await api().call(changeSubscription, { id, timing: 'daily' })).toMatchObject({
      enabled: false,
      timing: 'daily',
    })
    expect(await api().call(changeSubscription, { id, enabled: true })).toMatchObject({
      enabled: true,
      disabled_by: null,
      timing: 'daily',
    })
  })

  it('NO-09 whose recipient unsubscribed cannot be enabled again', async () => {
    const { id } = await create('deploy.failed')
    await system.db.query(
      sql`update notifications.subscriptions set enabled = false, disabled_by = 'unsubscribe' where id = ${id}`,
    )
    expect(await refusalOf(api().call(changeSubscription, { id, enabled: true }))).toEqual({
      status: 409,
      code: 'UNSUBSCRIBED',
      message: 'The recipient unsubscribed from this subscription, so it cannot be enabled again.',
    })
    expect(await api().call(changeSubscription, { id, enabled: false })).toMatchObject({ disabled_by: 'unsubscribe' })
  })

  it('are deleted', async () => {
    const { id } = await create('deploy.failed')
    expect(await api().call(deleteSubscription, { id })).toEqual({ deleted: true })
    expect((await api().call(listSubscriptions, {})).items).toEqual([])
    expect(await refusalOf(api().call(deleteSubscription, { id }))).toMatchObject({ status: 404 })
  })

  it('are limited to 200 in an organization', async () => {
    await system.db.query(sql`
      insert into notifications.channels (id, org_id, kind, label, state, created_at)
      select 'chn_' || ${admin.user_id}::text || n, ${admin.org_id}::text, 'webhook', 'x', 'active', now()
      from generate_series(1, 200) n`)
    await system.db.query(sql`
      insert into notifications.subscriptions (id, org_id, owner, pattern, channel_id, timing, unsubscribe_digest,
        unsubscribe_token, created_at)
      select 'sub_' || ${admin.user_id}::text || n, ${admin.org_id}::text, 'organization', 'deploy.failed',
        'chn_' || ${admin.user_id}::text || n, 'immediately', sha256((${admin.user_id}::text || n)::bytea), '', now()
      from generate_series(1, 200) n`)
    expect(await refusalOf(create('deploy.failed'))).toMatchObject({ status: 409, code: 'SUBSCRIPTION_LIMIT' })
  })

  it('CO-04 without a mail server the settings say that mails stay on this machine, or that none are sent', async () => {
    const { mail } = await api().call(readNotificationSettings, {})
    expect(mail).toBe(stores.postgres ? 'none' : 'mailbox')
  })

  it('NO-14 follow the timezone of the organization, which is UTC until an admin sets it', async () => {
    expect(await api().call(readNotificationSettings, {})).toMatchObject({ timezone: 'UTC' })
    await api().call(changeNotificationSettings, { timezone: 'Europe/Berlin' })
    expect(await api().call(readNotificationSettings, {})).toMatchObject({ timezone: 'Europe/Berlin' })
    expect(await refusalOf(api().call(changeNotificationSettings, { timezone: 'Mars/Olympus' }))).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
      message: '"Mars/Olympus" is not a timezone. Use an IANA name such as Europe/Berlin.',
    })
  })
})
