import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
} from '#contract/notifications/subscriptions.ts'
import { newId } from '#edge/ids.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { emit } from '#ports/emit.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'
import { deleteChannel, insertChannel } from '../channels/store.ts'
import { openUnsubscribeToken } from './store.ts'
import { forgetUnsubscribed, keepUnsubscribeLinks } from './unsubscribed-store.ts'

describe('NO-09 what a person unsubscribed from', () => {
  let system: System
  let sealer: ReturnType<typeof createSealer>
  let admin: Awaited<ReturnType<System['member']>>
  let channelId: string
  /** Each test has its own, because an address gets three confirmation mails a day. */
  let address: string
  beforeAll(async () => {
    system = await startSystem()
    sealer = createSealer(system.config.secrets.dataKeys)
  })
  afterAll(() => system?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    admin = await system.member('admin')
    address = `Team-${newId('req').slice(-8)}@example.org`
    channelId = await addAddress(address)
  })

  const api = () => system.client(admin.token)
  const addAddress = async (added: string, org_id = admin.org_id) =>
    (
      await system.db.tx((tx) =>
        insertChannel(tx, sealer, { org_id, kind: 'email', label: added, settings: { address: added } }),
      )
    ).id
  const subscribe = async (event_type: string, channel_id = channelId) =>
    (await api().call(createSubscription, { event_type, channel_id })).id
  const linkOf = async (id: string) => `${system.url}/unsubscribe/${await openUnsubscribeToken(system.db, sealer, id)}`
  const follow = (link: string) =>
    fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  const remove = (id: string) => api().call(deleteSubscription, { id })
  const refusalOf = async (call: Promise<unknown>) => {
    const { status, code, message } = await call.then(
      () => expect.fail('was not refused'),
      (refused) => refused,
    )
    return { status, code, message }
  }
  const asked = (event_type: string, channel_id = channelId) =>
    api().call(createSubscription, { event_type, channel_id })
  const ASKED = () => ({
    enabled: false,
    disabled_by: 'unconfirmed',
    notice: `The person behind ${address} unsubscribed from a part of it and got a mail. It begins when they confirm.`,
  })

  it('waits for the person when it is subscribed again after an admin deleted it, and no admin can begin it', async () => {
    const former = await subscribe('deploy.failed')
    await follow(await linkOf(former))
    await remove(former)
    const { id, ...again } = await asked('deploy.failed')
    expect(again).toMatchObject(ASKED())
    for (const enabled of [false, true, false, true]) {
      const change = api().call(changeSubscription, { id, enabled })
      if (enabled) expect(await refusalOf(change)).toMatchObject({ status: 409, code: 'UNSUBSCRIBED' })
      else expect(await change).toMatchObject(ASKED())
    }
  })

  it('waits for the person as a part of a wider subscription, and its own stays ended', async () => {
    await follow(await linkOf(await subscribe('deploy.failed')))
    expect(await asked('deploy.*')).toMatchObject(ASKED())
    expect((await api().call(listSubscriptions, {})).items).toMatchObject([
      { event_type: 'deploy.failed', disabled_by: 'unsubscribe' },
      { event_type: 'deploy.*', disabled_by: 'unconfirmed' },
    ])
  })

  it('as a prefix includes every type below it', async () => {
    await follow(await linkOf(await subscribe('support.ticket.*')))
    for (const pattern of ['support.ticket.created', 'support.*', 'support.ticket.*'])
      if (pattern === 'support.ticket.*')
        expect(await refusalOf(asked(pattern))).toMatchObject({ code: 'SUBSCRIPTION_EXISTS' })
      else expect(await asked(pattern)).toMatchObject(ASKED())
    expect(await asked('deploy.failed')).toMatchObject({ enabled: true, notice: null })
  })

  it('cannot come back by adding the address again, in whatever spelling', async () => {
    await follow(await linkOf(await subscribe('deploy.failed')))
    await system.db.tx((tx) => deleteChannel(tx, channelId))
    const again = await addAddress(address.toUpperCase())
    expect(await asked('deploy.failed', again)).toMatchObject({ disabled_by: 'unconfirmed' })
  })

  it('concerns no other type, no other address and no other organization', async () => {
    await follow(await linkOf(await subscribe('deploy.failed')))
    await subscribe('application.check.failed')
    await subscribe('deploy.failed', await addAddress('other@example.org'))
    admin = await system.member('admin')
    expect(await asked('deploy.failed', await addAddress(address))).toMatchObject({ enabled: true })
  })

  it('leaves an earlier subscription to a prefix as it is: each link ends exactly its own', async () => {
    await subscribe('deploy.*')
    await follow(await linkOf(await subscribe('deploy.failed')))
    expect((await api().call(listSubscriptions, {})).items).toMatchObject([
      { event_type: 'deploy.*', enabled: true },
      { event_type: 'deploy.failed', enabled: false, disabled_by: 'unsubscribe' },
    ])
  })

  it('can be subscribed again once the person confirmed the address by a link', async () => {
    const id = await subscribe('deploy.failed')
    await follow(await linkOf(id))
    await system.db.tx((tx) => forgetUnsubscribed(tx, { org_id: admin.org_id, address }))
    expect(await refusalOf(api().call(changeSubscription, { id, enabled: true }))).toMatchObject({
      code: 'UNSUBSCRIBED',
    })
    await remove(id)
    await subscribe('deploy.failed')
  })

  it('can be ended by the link of an older mail, although the subscription was deleted and added again', async () => {
    const id = await subscribe('deploy.failed')
    const link = await linkOf(id)
    await remove(id)
    await subscribe('deploy.failed')
    expect((await fetch(link)).status).toBe(200)
    expect((await follow(link)).status).toBe(200)
    expect((await api().call(listSubscriptions, {})).items).toMatchObject([
      { enabled: false, disabled_by: 'unsubscribe' },
    ])
  })

  it('can be ended by the link of an older mail, although the address was deleted and added again', async () => {
    const link = await linkOf(await subscribe('deploy.failed'))
    await system.db.tx(async (tx) => {
      await keepUnsubscribeLinks(tx, { orgId: admin.org_id, channelId })
      await deleteChannel(tx, channelId)
    })
    expect((await follow(link)).status).toBe(200)
    channelId = await addAddress(address.toLowerCase())
    expect(await asked('deploy.failed')).toMatchObject({ disabled_by: 'unconfirmed' })
  })

  it('is not sent by a subscription that was added at the same moment', async () => {
    await subscribe('deploy.failed')
    // Rows as of a transaction that an unsubscription in another one cannot see yet.
    await system.db.query(sql`
      insert into notifications.unsubscribed_addresses (org_id, address, pattern, unsubscribed_at)
      values (${admin.org_id}, ${address.toLowerCase()}, 'deploy.failed', clock_timestamp())`)
    await system.db.tx((tx) =>
      emit(tx, {
        type: 'deploy.failed',
        org_id: admin.org_id,
        occurred_at: new Date(),
        body: {
          status: 'BUILD_FAILED',
          actor_id: null,
          app: { id: newId('app'), alias: 'shop', name: 'Shop' },
          deployment_id: newId('dep'),
        },
      }),
    )
    const dropped = await until(async () => {
      const [row] = await system.db.query<{ state: string; reason: string }>(sql`
        select state, reason from notifications.deliveries where org_id = ${admin.org_id} and ended_at is not null`)
      return row
    })
    expect(dropped).toEqual({ state: 'dropped', reason: 'unsubscribed' })
  })
})
