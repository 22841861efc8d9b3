import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminCreateToken } from '#contract/auth/auth.ts'
import { removeMember } from '#contract/auth/members.ts'
import { listChannels, testChannel } from '#contract/notifications/channels.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { addEmail, deleteEmail } from '#contract/notifications/email.ts'
import { createSubscription, listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { emit } from '#ports/emit.ts'
import { startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

let system: System
let mails: TestMailServer
let admin: Awaited<ReturnType<System['member']>>
let address: string

beforeAll(async () => {
  mails = await startMailServer()
  const { host, port } = mails.address
  system = await startSystem({
    env: { SVC_SMTP_URL: `smtp://${host}:${port}`, SVC_MAIL_FROM: 'svc@example.com' },
  })
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await mails?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  admin = await system.member('admin')
  address = `Team-${newId('req').slice(-8)}@example.org`
})

const api = () => system.client(admin.token)
const add = (ask_again = false, to = address) => api().call(addEmail, { address: to, ask_again })
const state = async () => (await api().call(listChannels, {})).items.map((one) => one.state)
const refusalOf = async (call: Promise<unknown>) => {
  const { status, code, message, retryAfterSeconds } = await call.then(
    () => expect.fail('was not refused'),
    (refused) => refused,
  )
  return { status, code, message, retryAfterSeconds }
}
const mailsTo = (to = address) =>
  mails.received.filter((mail) => mail.to.some((one) => one.toLowerCase() === to.toLowerCase()))
/** The link of the newest confirmation mail, once `count` mails have arrived. */
const linkOf = async (count = 1) => {
  const mail = await until(async () => mailsTo()[count - 1])
  const { text } = await PostalMime.parse(mail.message)
  const link = /https?:\/\/\S+\/confirm-email\/(\S+)/.exec(text!)!
  system.secrets.push(link[1]!)
  return `${system.url}/confirm-email/${link[1]}`
}
const press = (link: string, body: BodyInit = new URLSearchParams({ confirm: 'yes' })) =>
  fetch(link, { method: 'POST', redirect: 'manual', body })
const subscribe = (channel_id: string) => api().call(createSubscription, { event_type: 'deploy.failed', channel_id })
const failDeploy = (name = 'Shop') =>
  system.db.tx((tx) =>
    emit(tx, {
      type: 'deploy.failed',
      org_id: admin.org_id,
      occurred_at: new Date(),
      body: {
        status: 'BUILD_FAILED',
        actor_id: null,
        app: { id: newId('app'), alias: 'shop', name },
        deployment_id: newId('dep'),
      },
    }),
  )
const ended = () =>
  until(async () => {
    const { items } = await api().call(listDeliveries, {})
    return items.length > 0 && items.every(({ status }) => ['delivered', 'not_sent'].includes(status)) && items
  })

describe('NO-04 an email address of an organization', () => {
  it('of a member is active at once, in any spelling, and nobody is asked', async () => {
    const member = await system.member('viewer', admin.org_id)
    const added = await add(false, member.email.toUpperCase())
    expect(added).toMatchObject({ kind: 'email', label: member.email.toUpperCase(), state: 'active' })
    await subscribe(added.id)
    await failDeploy()
    await until(async () => mailsTo(member.email).length > 0)
    const { subject } = await PostalMime.parse(mailsTo(member.email)[0]!.message)
    expect(subject).toBe('Deploy of Shop failed: BUILD_FAILED')
    expect(mailsTo(member.email)).toHaveLength(1)
  })

  it.each([
    '=?utf-8?q?Your_account_is_locked?=',
    '=?UTF-8?B?WW91ciBhY2NvdW50?= ☃',
    `${'x'.repeat(60)} =?iso-8859-1?q?=E9?= ünd =?us-ascii?q?y?= =?us-ascii?q?z?=`,
    '=?utf-8?q?a?=\r\nBcc: all@example.org\r\n',
  ])('shows text of a tenant in the subject as it was typed: %j', async (name) => {
    const member = await system.member('viewer', admin.org_id)
    await subscribe((await add(false, member.email)).id)
    await failDeploy(name)
    const mail = await until(async () => mailsTo(member.email)[0])
    const { subject, bcc } = await PostalMime.parse(mail.message)
    const shown = name.replaceAll('\r\n', ' ').trim()
    expect([subject, bcc]).toEqual([`Deploy of ${shown} failed: BUILD_FAILED`, undefined])
  })

  it('of a member gets nothing after the member left, until the person confirms', async () => {
    const owner = await system.member('owner', admin.org_id)
    const member = await system.member('viewer', admin.org_id)
    const { id } = await add(false, member.email)
    await subscribe(id)
    await system.client(owner.token).call(removeMember, { org_id: admin.org_id, user_id: member.user_id })
    await failDeploy()
    expect(await ended()).toMatchObject([{ status: 'not_sent', reason: 'destination_gone' }])
    expect(mailsTo(member.email)).toEqual([])
    address = member.email
    expect(await add()).toMatchObject({ id, state: 'unconfirmed' })
    await press(await linkOf())
    await failDeploy()
    await until(async () => mailsTo().length === 2)
  })

  it('of anybody else gets nothing but a link until the person confirms', async () => {
    const added = await add()
    expect(added).toMatchObject({ label: address, state: 'unconfirmed' })
    await subscribe(added.id)
    expect(await refusalOf(api().call(testChannel, { id: added.id }))).toMatchObject({ code: 'CHANNEL_NOT_ACTIVE' })
    await failDeploy()
    expect(await ended()).toMatchObject([{ status: 'not_sent', reason: 'no_subscription' }])
    const link = await linkOf()
    expect((await press(link)).status).toBe(200)
    await failDeploy()
    await until(async () => mailsTo().length === 2)
    expect((await PostalMime.parse(mailsTo()[1]!.message)).subject).toBe('Deploy of Shop failed: BUILD_FAILED')
  })

  it('is confirmed by a POST only: opening the link shows one button and changes nothing', async () => {
    await add()
    const link = await linkOf()
    const page = await (await fetch(link)).text()
    expect(page.match(/<button/g)).toHaveLength(1)
    expect(page).toContain('<form method="post">')
    expect(page).toContain(address)
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200)
    expect(await state()).toEqual(['unconfirmed'])
    expect(await (await press(link)).text()).toContain('Address confirmed')
    expect(await state()).toEqual(['active'])
  })

  it('is confirmed once by each link', async () => {
    await add()
    const link = await linkOf()
    const statuses = (await Promise.all([press(link), press(link), press(link)])).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404])
    expect((await fetch(link)).status).toBe(404)
  })

  it('is not confirmed by a link that expired', async () => {
    await add()
    const link = await linkOf()
    await system.db.query(sql`update notifications.email_confirmations set expires_at = clock_timestamp()`)
    expect([(await fetch(link)).status, (await press(link)).status]).toEqual([404, 404])
    expect(await state()).toEqual(['unconfirmed'])
  })

  it('is not confirmed by other forms, other types, or a link that nobody got', async () => {
    await add()
    const link = await linkOf()
    expect((await press(link, new URLSearchParams({ confirm: 'no' }))).status).toBe(400)
    expect((await press(link, new URLSearchParams())).status).toBe(400)
    expect((await press(link, '{"confirm":"yes"}')).status).toBe(415)
    expect((await press(`${system.url}/confirm-email/${'x'.repeat(43)}`)).status).toBe(404)
    expect(await state()).toEqual(['unconfirmed'])
  })

  it('that is added again stays the same, and gets another link only if an admin asks for it', async () => {
    const { id } = await add()
    const first = await linkOf()
    expect((await add(false, address.toLowerCase())).id).toBe(id)
    expect((await add(true)).id).toBe(id)
    const second = await linkOf(2)
    expect(mailsTo()).toHaveLength(2)
    expect((await press(first)).status).toBe(404)
    expect((await press(second)).status).toBe(200)
    await add(true)
    expect(await state()).toEqual(['active'])
    expect(mailsTo()).toHaveLength(2)
  })

  it('becomes active when its person becomes a member', async () => {
    const later = `${newId('req')}@example.com`
    expect(await add(false, later)).toMatchObject({ state: 'unconfirmed' })
    const joined = { org_id: admin.org_id, email: later, role: 'viewer', name: 'test' } as const
    system.secrets.push((await system.operator.call(adminCreateToken, joined)).token)
    expect(await add(false, later)).toMatchObject({ state: 'active' })
  })

  it('gets at most three confirmation mails a day, whichever organizations ask, and a fourth stores nothing', async () => {
    await add()
    await add(true)
    admin = await system.member('admin')
    await add()
    admin = await system.member('admin')
    const refusal = await refusalOf(add())
    expect(refusal).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    expect(refusal.message).toBe(`${address} got three confirmation mails within a day. Try again in 24 hours.`)
    expect(refusal.retryAfterSeconds).toBeGreaterThan(86_000)
    expect(await state()).toEqual([])
    await linkOf(3)
    expect(mailsTo()).toHaveLength(3)
    await system.db.query(sql`
      update notifications.confirmation_mails set mailed_at = mailed_at - interval '1 day'
      where address = ${address.toLowerCase()}`)
    expect(await add()).toMatchObject({ state: 'unconfirmed' })
  })

  it('that unsubscribed can be subscribed again only after its person confirmed by a new link', async () => {
    const { id } = await add()
    await press(await linkOf())
    const subscription = await subscribe(id)
    await failDeploy()
    const mail = await until(async () => mailsTo()[1])
    const { headers } = await PostalMime.parse(mail.message)
    const header = headers.find(({ key }) => key === 'list-unsubscribe')!.value
    const path = new URL(header.slice(1, -1)).pathname
    await fetch(`${system.url}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
    const wider = await api().call(createSubscription, { event_type: 'deploy.*', channel_id: id })
    expect(wider).toMatchObject({ enabled: false, disabled_by: 'unconfirmed' })
    const link = await linkOf(3)
    const { text } = await PostalMime.parse(mailsTo()[2]!.message)
    expect(text).toContain('You unsubscribed from some of them. They would be sent again: deploy.*.')
    expect((await press(link)).status).toBe(200)
    expect((await api().call(listSubscriptions, {})).items).toMatchObject([
      { id: subscription.id, disabled_by: 'unsubscribe' },
      { id: wider.id, enabled: true, notice: null },
    ])
    await failDeploy()
    await until(async () => mailsTo().length === 4)
  })

  it('can refuse an organization by a link of the confirmation mail, which asks it no more', async () => {
    const { id } = await add()
    const confirmation = await linkOf()
    const { text, headers } = await PostalMime.parse(mailsTo()[0]!.message)
    const link = /To get no more such mails from this organization, open: (\S+)/.exec(text!)![1]!
    expect(headers.find(({ key }) => key === 'list-unsubscribe')!.value).toBe(`<${link}>`)
    const refusal = `${system.url}${new URL(link).pathname}`
    system.secrets.push(refusal.split('/').at(-1)!)
    expect(await (await fetch(refusal)).text()).toContain('Refuse further requests')
    expect((await add(false)).state).toBe('unconfirmed')
    const refused = await press(refusal, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }))
    expect(await refused.text()).toContain('You will not be asked again')
    expect((await press(confirmation)).status).toBe(404)
    const REFUSED = {
      status: 409,
      code: 'UNSUBSCRIBED',
      message: `The person behind ${address} asked this organization not to mail them. Use another address.`,
    }
    expect(await refusalOf(add(true))).toMatchObject(REFUSED)
    await api().call(deleteEmail, { id })
    expect(await refusalOf(add(false, address.toUpperCase()))).toMatchObject({ code: 'UNSUBSCRIBED' })
    expect(await state()).toEqual([])
    admin = await system.member('admin')
    expect(await add()).toMatchObject({ state: 'unconfirmed' })
    await linkOf(2)
    expect(mailsTo()).toHaveLength(2)
  })

  it('is deleted with its subscriptions and its link', async () => {
    const { id } = await add()
    await subscribe(id)
    const link = await linkOf()
    const stranger = await system.member('admin')
    expect(await refusalOf(system.client(stranger.token).call(deleteEmail, { id }))).toMatchObject({ status: 404 })
    expect(await api().call(deleteEmail, { id })).toEqual({ deleted: true })
    expect(await state()).toEqual([])
    expect((await api().call(listSubscriptions, {})).items).toEqual([])
    expect((await press(link)).status).toBe(404)
    expect(await refusalOf(api().call(deleteEmail, { id }))).toMatchObject({ status: 404 })
  })

  it.each(['', 'team', 'a@b', 'a b@example.org', 'a@example.org, b@example.org', `${'x'.repeat(250)}@example.org`])(
    'must be one address: %j is refused',
    async (text) => {
      expect(await refusalOf(add(false, text))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    },
  )

  it('is one of at most fifty', async () => {
    await system.db.query(sql`
      insert into notifications.channels (id, org_id, kind, label, state, settings, created_at)
      select 'chn_' || ${admin.org_id} || n, ${admin.org_id}, 'email', n, 'active',
        jsonb_build_object('address', n || '@example.org'), clock_timestamp()
      from generate_series(1, 50) as n`)
    expect(await refusalOf(add())).toMatchObject({ status: 409, code: 'CHANNEL_LIMIT' })
  })

  it('is asked in words that carry no link or advertisement of the organization', async () => {
    await system.db.query(sql`
      update auth.orgs set name = 'Win at casino.example now' where id = ${admin.org_id}`)
    await add()
    await linkOf()
    const { text } = await PostalMime.parse(mailsTo()[0]!.message)
    expect(text).toContain('An organization wants to send notifications to this address.')
    expect(text).not.toContain('casino')
  })
})

needs('postgres')('NO-04 organizations that ask one address at the same moment', () => {
  it('send it three confirmation mails together', async () => {
    const admins = await Promise.all(Array.from({ length: 8 }, () => system.member('admin')))
    const asked = await Promise.allSettled(admins.map(({ token }) => system.client(token).call(addEmail, { address })))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    await linkOf(3)
    const [row] = await system.db.query(sql`
      select count(*)::int as count from notifications.deliveries
      where destination_key like ${`email:%:${address.toLowerCase()}`}`)
    expect(row).toEqual({ count: 3 })
  })
})
