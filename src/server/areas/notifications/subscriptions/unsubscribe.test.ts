import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeSubscription, listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { sql } from '#lib/db/sql.ts'
import { type System, startSystem } from '#test/system.ts'
import { insertChannel } from '../channels/store.ts'
import { addSubscription, openUnsubscribeToken } from './store.ts'

const sealer = createSealer(['ab'.repeat(32)])
const ONE_CLICK = 'List-Unsubscribe=One-Click'

describe('NO-09 unsubscribing by the link of a mail', () => {
  let system: System
  let admin: Awaited<ReturnType<System['member']>>
  let ids: string[]
  let url: string
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    admin = await system.member('admin')
    const { org_id } = admin
    ids = await system.db.tx(async (tx) => {
      const address = 'team@example.org'
      const added = { org_id, kind: 'email', label: address, settings: { address } } as const
      const { id: channel_id } = await insertChannel(tx, sealer, added)
      const subscribed = ['deploy.failed', 'check.failed'].map((pattern) =>
        addSubscription(tx, sealer, { org_id, owner: 'organization', channel_id, pattern, timing: 'immediately' }),
      )
      return (await Promise.all(subscribed)).map((id) => id!)
    })
    url = `${system.url}/unsubscribe/${await openUnsubscribeToken(system.db, sealer, ids[0]!)}`
  })

  const post = (body: BodyInit, type = 'application/x-www-form-urlencoded') =>
    fetch(url, { method: 'POST', redirect: 'manual', body, headers: { 'content-type': type } })
  const states = () =>
    system.db.query(sql`
      select enabled, disabled_by from notifications.subscriptions where org_id = ${admin.org_id} order by id`)
  const ENABLED = { enabled: true, disabled_by: null }
  const UNSUBSCRIBED = { enabled: false, disabled_by: 'unsubscribe' }

  it('needs a POST: opening the link shows one button and changes nothing', async () => {
    const answer = await fetch(url)
    expect(answer.status).toBe(200)
    const page = await answer.text()
    expect(page.match(/<button/g)).toHaveLength(1)
    expect(page).toContain('<form method="post">')
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    expect(await states()).toEqual([ENABLED, ENABLED])
  })

  it('disables exactly that subscription, without a sign-in and without a redirect, once or twice', async () => {
    for (const _ of [1, 2]) {
      const answer = await post(ONE_CLICK)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain('You are unsubscribed')
      expect(await states()).toEqual([UNSUBSCRIBED, ENABLED])
    }
  })

  it('accepts the form as multipart too', async () => {
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200)
    expect(await states()).toEqual([UNSUBSCRIBED, ENABLED])
  })

  it('is for good: an admin cannot enable the subscription again', async () => {
    await post(ONE_CLICK)
    const api = system.client(admin.token)
    await expect(api.call(changeSubscription, { id: ids[0]!, enabled: true })).rejects.toThrow()
    expect((await api.call(listSubscriptions, {})).items).toMatchObject([UNSUBSCRIBED, ENABLED])
  })

  it('wins over a subscription that was disabled because its connection was lost', async () => {
    await system.db.query(sql`
      update notifications.subscriptions set enabled = false, disabled_by = 'connection_lost' where id = ${ids[0]!}`)
    expect((await post(ONE_CLICK)).status).toBe(200)
    expect(await states()).toEqual([UNSUBSCRIBED, ENABLED])
  })

  it.each([
    ['another form', 'a=b'],
    ['an empty body', ''],
  ])('refuses %s', async (_, body) => {
    expect((await post(body)).status).toBe(400)
    expect(await states()).toEqual([ENABLED, ENABLED])
  })

  it('refuses other types and large bodies', async () => {
    expect((await post('{}', 'application/json')).status).toBe(415)
    expect((await post(`${ONE_CLICK}&x=${'y'.repeat(5000)}`)).status).toBe(413)
    expect(await states()).toEqual([ENABLED, ENABLED])
  })

  it('answers an unknown link with 404, without a button and without saying that it unsubscribed', async () => {
    url = `${system.url}/unsubscribe/${'x'.repeat(43)}`
    const unknown = [await fetch(url), await post(ONE_CLICK)]
    expect(unknown.map(({ status }) => status)).toEqual([404, 404])
    for (const page of await Promise.all(unknown.map((answer) => answer.text()))) {
      expect(page).toContain('This link is not valid')
      expect(page).not.toMatch(/<button|<form|You are unsubscribed/)
    }
    expect(await states()).toEqual([ENABLED, ENABLED])
  })
})
