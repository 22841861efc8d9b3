import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EventOf } from '#contract/core/events.ts'
import type { Role } from '#contract/core/roles.ts'
import { listChannels } from '#contract/notifications/channels.ts'
import { connectChat, disconnectChat, readChat, startChatInstallation } from '#contract/notifications/chat.ts'
import { deleteChatLink, readChatLink, startChatLink } from '#contract/notifications/chat-link.ts'
import { listDeliveries } from '#contract/notifications/deliveries.ts'
import { listInbox } from '#contract/notifications/inbox.ts'
import { listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { emit } from '#ports/emit.ts'
import type { Browser } from '#test/browser/browser.ts'
import type { Claims } from '#test/outside/fake-idp.ts'
import { type FakeSlack, startFakeSlack } from '#test/outside/fake-slack.ts'
import { APP, googleUser, type SignIn, startSignIn } from '#test/sign-in.ts'
import type { System } from '#test/system.ts'
import { until } from '#test/until.ts'
import { digestLoop } from '../../digest/close.ts'

type Person = Awaited<ReturnType<System['member']>> & { browser: Browser; claims: Claims }

const app = { id: newId('app'), alias: 'shop', name: 'Shop' }
const id = (prefix: string) => `${prefix}${randomBytes(5).toString('hex').toUpperCase()}`

let slack: FakeSlack
let signIn: SignIn
let system: System
let admin: Person
let team: string
beforeAll(async () => {
  slack = await startFakeSlack()
  const env = { SVC_SLACK_CLIENT_ID: slack.clientId, SVC_SLACK_CLIENT_SECRET: slack.clientSecret }
  signIn = await startSignIn({ env, safeFetch: slack.safeFetch })
  system = signIn.system
})
afterAll(async () => {
  system.secrets.push(...slack.secrets)
  await signIn?.[Symbol.asyncDispose]()
  await slack[Symbol.asyncDispose]()
})
beforeEach(async () => {
  slack.claims = {}
  slack.useForeignKey(false)
  admin = await person('admin')
  team = id('T')
})

async function person(role: Role, orgId?: string): Promise<Person> {
  const member = await system.member(role, orgId)
  const browser = signIn.browser()
  const claims = googleUser({ email: member.email })
  await signIn.signIn(browser, 'google', claims)
  return { ...member, browser, claims }
}

/** Those of this test's workspace: retries of other tests may arrive at any time. */
const messages = () => slack.messages.filter((one) => one.team === team)
const requests = () => slack.requests.filter((one) => one.team === team)
const api = (who = admin) => system.client(who.token)
const page = async (response: Response) => {
  const body = await response.text()
  return { status: response.status, title: /<h1>(.*?)<\/h1>/.exec(body)?.[1], text: body }
}
/** Begins from a page of the console, by the session cookie. */
const begin = async (who: Person, path: string): Promise<string> => {
  const response = await who.browser.go(`${APP}${path}`, { json: {} })
  return ((await response.json()) as { url: string }).url
}
const beginInstallation = (who = admin) => begin(who, '/api/integrations/chat/installation')
const beginLink = (who: Person) => begin(who, '/api/notifications/chat-link')
const comeBack = async (who: Person, url: string) =>
  page(await who.browser.go(url, { site: 'cross-site', headers: { accept: 'text/html' } }))
const codeOf = async (who: Person, url: string) => {
  const response = await who.browser.go(url, { site: 'cross-site' })
  return [response.status, ((await response.json()) as { code: string }).code]
}
const install = async (who = admin, channel = 'C0SUPPORT', inTeam = team) =>
  comeBack(who, slack.authorize(await beginInstallation(who), { team: inTeam, user: 'U0ADMIN', channel }))
const link = async (who: Person, user: string, inTeam = team) => {
  slack.addUser(inTeam, user)
  return comeBack(who, slack.authorize(await beginLink(who), { team: inTeam, user, name: 'Pat <b>Doe</b>' }))
}
const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => expect.fail('was not refused'),
    (refused) => refused,
  )
  return { status: error.status, code: error.code, message: error.message }
}
const follow = (who: Person, timing = 'immediately') =>
  system.db.query(sql`
    insert into notifications.follows (org_id, user_id, app_id, categories, timing, updated_at)
    values (${who.org_id}, ${who.user_id}, ${app.id}, ${['failed_deploys', 'tickets']}, ${timing}, now())`)
const failDeploy = (status: 'BUILD_FAILED' | 'TIMED_OUT' = 'BUILD_FAILED') =>
  system.db.tx((tx) =>
    emit(tx, {
      type: 'deploy.failed',
      org_id: admin.org_id,
      occurred_at: new Date(),
      body: { status, actor_id: null, app, deployment_id: newId('dep') },
    } satisfies EventOf<'deploy.failed'>),
  )
const ledger = async () => (await api().call(listDeliveries, {})).items
const ended = (count: number) =>
  until(
    async () => (await ledger()).filter(({ status }) => ['delivered', 'not_sent'].includes(status)).length === count,
  )
const reasons = async () => (await ledger()).map(({ reason }) => reason)

describe('NO-10 an installation of the chat app', () => {
  it('connects the channel that the admin chose, and direct messages', async () => {
    const url = new URL(await beginInstallation())
    expect(`${url.origin}${url.pathname}`).toBe('https://slack.com/oauth/v2/authorize')
    expect(url.searchParams.get('scope')).toBe('incoming-webhook,chat:write,im:write,users:read')
    expect(url.searchParams.get('redirect_uri')).toBe(`${APP}/integrations/chat/callback`)
    const back = slack.authorize(url.href, { team, user: 'U0ADMIN', channel: 'C0SUPPORT' })
    expect(await comeBack(admin, back)).toMatchObject({ status: 200, title: 'Chat is connected' })
    expect(await api().call(readChat, {})).toEqual({
      channel: expect.objectContaining({ kind: 'chat', label: `#c0support (Team ${team})`, state: 'active' }),
      workspace: { id: team, name: `Team ${team}` },
      personal_messages: 'available',
      installable: true,
    })
    expect((await api().call(listSubscriptions, {})).items).toMatchObject([{ event_type: 'support.ticket.created' }])
    expect((await api().call(listChannels, {})).items).toHaveLength(1)
  })

  it('works once, for the session that began it', async () => {
    const back = slack.authorize(await beginInstallation(), { team, user: 'U0ADMIN' })
    const colleague = await person('admin', admin.org_id)
    expect(await codeOf(colleague, back)).toEqual([400, 'INVALID_REQUEST'])
    // A state is burnt when somebody else brings it.
    expect(await codeOf(admin, back)).toEqual([400, 'INVALID_REQUEST'])

    const second = slack.authorize(await beginInstallation(), { team, user: 'U0ADMIN' })
    expect(await comeBack(admin, second)).toMatchObject({ status: 200 })
    expect(await codeOf(admin, second)).toEqual([400, 'INVALID_REQUEST'])
  })

  it('cannot be finished in another session of the same person', async () => {
    const back = slack.authorize(await beginInstallation(), { team, user: 'U0ADMIN' })
    const browser = signIn.browser()
    expect(await codeOf({ ...admin, browser }, back)).toEqual([401, 'INVALID_TOKEN'])
    await signIn.signIn(browser, 'google', admin.claims)
    expect(await codeOf({ ...admin, browser }, back)).toEqual([400, 'INVALID_REQUEST'])
  })

  it('can be begun with an API token and finished by the same person', async () => {
    const { url } = await api().call(startChatInstallation, {})
    expect(await comeBack(admin, slack.authorize(url, { team, user: 'U0ADMIN' }))).toMatchObject({ status: 200 })
  })

  it('cannot be finished in another organization of the same person', async () => {
    const { url } = await api().call(startChatInstallation, {})
    const { org_id } = await system.member('admin')
    await system.db.query(sql`
      insert into auth.memberships (org_id, user_id, role, created_at)
      values (${org_id}, ${admin.user_id}, 'admin', now() + interval '1 minute')`)
    const browser = signIn.browser()
    await signIn.signIn(browser, 'google', admin.claims)
    const back = slack.authorize(url, { team, user: 'U0ADMIN' })
    expect(await codeOf({ ...admin, browser }, back)).toEqual([400, 'INVALID_REQUEST'])
    expect(await api().call(readChat, {})).toMatchObject({ channel: null })
  })

  it('is refused to a person who is not an admin any more', async () => {
    const back = slack.authorize(await beginInstallation(), { team, user: 'U0ADMIN' })
    await system.db.query(sql`
      update auth.memberships set role = 'member' where user_id = ${admin.user_id} and org_id = ${admin.org_id}`)
    // Principals are remembered for some seconds.
    await until(async () => (await admin.browser.go(`${APP}/api/notifications/channels`)).status === 403)
    expect(await codeOf(admin, back)).toEqual([403, 'FORBIDDEN'])
  })

  it('must be finished within ten minutes', async () => {
    const { url, expires_at } = await api().call(startChatInstallation, {})
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(10 * 60_000)
    await system.db.query(sql`update notifications.chat_flows set expires_at = now() where org_id = ${admin.org_id}`)
    expect(await codeOf(admin, slack.authorize(url, { team, user: 'U0ADMIN' }))).toEqual([400, 'INVALID_REQUEST'])
  })

  it('that is cancelled changes nothing', async () => {
    const state = new URL(await beginInstallation()).searchParams.get('state')
    const back = `${APP}/integrations/chat/callback?error=access_denied&state=${state}`
    expect(await comeBack(admin, back)).toMatchObject({ status: 400, text: expect.stringContaining('was cancelled') })
    expect(await api().call(readChat, {})).toMatchObject({ channel: null, workspace: null })
  })

  it('is refused when Slack does not know the code, and when Slack does not answer', async () => {
    const state = new URL(await beginInstallation()).searchParams.get('state')
    expect(await codeOf(admin, `${APP}/integrations/chat/callback?code=none&state=${state}`)).toEqual([
      400,
      'INVALID_REQUEST',
    ])
    const back = slack.authorize(await beginInstallation(), { team, user: 'U0ADMIN' })
    slack.answerNext('/api/oauth.v2.access', 'hang up')
    expect(await codeOf(admin, back)).toEqual([503, 'UNAVAILABLE'])
    expect(await api().call(readChat, {})).toMatchObject({ channel: null })
  })

  it('is refused when the webhook in the answer leads elsewhere', async () => {
    const back = slack.authorize(await beginInstallation(), { team, user: 'U0ADMIN' })
    const incoming_webhook = { url: 'https://evil.example/x', channel: '#x', channel_id: 'C1' }
    const body = { ok: true, access_token: 'xoxb-1', team: { id: team, name: 'x' }, incoming_webhook }
    slack.answerNext('/api/oauth.v2.access', { body })
    expect(await codeOf(admin, back)).toEqual([400, 'INVALID_REQUEST'])
  })

  it('takes the place of a pasted webhook and keeps its subscriptions', async () => {
    const { channel } = await api().call(connectChat, { webhook_url: slack.addWebhook(team) })
    await install()
    expect(await api().call(readChat, {})).toMatchObject({
      channel: { id: channel!.id },
      personal_messages: 'available',
    })
    expect((await api().call(listSubscriptions, {})).items).toHaveLength(1)
  })

  it('ends when a webhook of another workspace is connected, and stays with one of the same workspace', async () => {
    await install()
    const same = await api().call(connectChat, { webhook_url: slack.addWebhook(team) })
    expect(same).toMatchObject({ personal_messages: 'available', warnings: [] })
    const other = await api().call(connectChat, { webhook_url: slack.addWebhook(id('T')) })
    expect(other).toMatchObject({ personal_messages: 'not_installed' })
  })
})

describe('NO-10 a linked chat account', () => {
  it('keeps the workspace, the user id and the display name, and no email or token', async () => {
    await install()
    const member = await person('viewer', admin.org_id)
    const url = new URL(await beginLink(member))
    expect(`${url.origin}${url.pathname}`).toBe('https://slack.com/openid/connect/authorize')
    expect(url.searchParams.get('scope')).toBe('openid profile')
    expect(url.searchParams.get('team')).toBe(team)
    const user = id('U')
    expect(await link(member, user)).toMatchObject({
      status: 200,
      title: 'Your chat account is linked',
      text: expect.stringContaining('Pat &lt;b&gt;Doe&lt;/b&gt;'),
    })
    expect(await api(member).call(readChatLink, {})).toEqual({
      connected: true,
      state: 'linked',
      unlinked_reason: null,
      account: {
        workspace_id: team,
        chat_user_id: user,
        display_name: 'Pat <b>Doe</b>',
        linked_at: expect.any(String),
      },
    })
    const stored = await system.db.query(sql`select * from notifications.chat_links where user_id = ${member.user_id}`)
    expect(JSON.stringify(stored)).not.toContain('@people.test')
  })

  it('CHAT_NOT_CONNECTED: is refused without an installation, at the beginning and at the end', async () => {
    const refusal = await refusalOf(api().call(startChatLink, {}))
    expect(refusal).toEqual({
      status: 409,
      code: 'CHAT_NOT_CONNECTED',
      message:
        'Your organization has no connected chat workspace that can send direct messages. Ask an admin to install the chat app.',
    })
    await api().call(connectChat, { webhook_url: slack.addWebhook(team) })
    expect(await refusalOf(api().call(startChatLink, {}))).toEqual(refusal)
    await install()
    const back = slack.authorize(await beginLink(admin), { team, user: id('U') })
    await api().call(disconnectChat, {})
    expect(await codeOf(admin, back)).toEqual([409, 'CHAT_NOT_CONNECTED'])
  })

  it('CHAT_OTHER_WORKSPACE: is refused for an account of another workspace', async () => {
    await install()
    const answer = await link(admin, id('U'), id('T'))
    expect(answer).toMatchObject({ status: 409, title: 'Chat account of another workspace' })
    expect(answer.text).toContain(`connected to Team ${team}`)
    expect(await api().call(readChatLink, {})).toMatchObject({ state: 'unlinked', account: null })
  })

  it('CHAT_ACCOUNT_TAKEN: is refused when somebody else has linked it, and does not say who', async () => {
    await install()
    const holder = await person('member', admin.org_id)
    const user = id('U')
    await link(holder, user)
    const answer = await link(admin, user)
    expect(answer).toMatchObject({ status: 409, title: 'Chat account already linked' })
    for (const secret of [holder.email, holder.user_id, 'Pat']) expect(answer.text).not.toContain(secret)
    expect(await api().call(readChatLink, {})).toMatchObject({ state: 'unlinked' })
    expect(await api(holder).call(readChatLink, {})).toMatchObject({ state: 'linked' })
    await api(holder).call(deleteChatLink, {})
    expect(await link(admin, user)).toMatchObject({ status: 200 })
  })

  it('is free again when the person who linked it has left the organization', async () => {
    await install()
    const leaver = await person('member', admin.org_id)
    const user = id('U')
    await link(leaver, user)
    await system.db.query(sql`delete from auth.memberships where user_id = ${leaver.user_id}`)
    expect(await link(admin, user)).toMatchObject({ status: 200 })
  })

  it('is one for each person: linking another account replaces it', async () => {
    await install()
    const [first, second] = [id('U'), id('U')]
    await link(admin, first)
    await link(admin, second)
    expect(await api().call(readChatLink, {})).toMatchObject({ account: { chat_user_id: second } })
    const colleague = await person('member', admin.org_id)
    expect(await link(colleague, first)).toMatchObject({ status: 200 })
  })

  it('is linked by one of two people who confirm it at the same moment', async () => {
    await install()
    const colleague = await person('member', admin.org_id)
    const user = id('U')
    const answers = await Promise.all([link(admin, user), link(colleague, user)])
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409])
  })

  it.each<[string, Record<string, unknown>]>([
    ['another nonce', { nonce: 'other' }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'another-app' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['an end in the past', { exp: 1 }],
    ['no workspace', { 'https://slack.com/team_id': undefined }],
    ['no user', { 'https://slack.com/user_id': undefined }],
  ])('is refused when the ID token has %s', async (_, claims) => {
    await install()
    slack.claims = claims
    const user = id('U')
    expect(await link(admin, user)).toMatchObject({ status: 400 })
    expect(await api().call(readChatLink, {})).toMatchObject({ state: 'unlinked' })
  })

  it('is refused when the ID token is signed with a key that Slack does not publish', async () => {
    await install()
    slack.useForeignKey(true)
    expect(await link(admin, id('U'))).toMatchObject({ status: 400 })
  })

  it('is refused with the state of another person', async () => {
    await install()
    const colleague = await person('member', admin.org_id)
    const byToken = await api(colleague).call(startChatLink, {})
    for (const url of [await beginLink(colleague), byToken.url]) {
      const back = slack.authorize(url, { team, user: id('U') })
      expect(await codeOf(admin, back)).toEqual([400, 'INVALID_REQUEST'])
      expect(await api().call(readChatLink, {})).toMatchObject({ state: 'unlinked' })
    }
  })

  it('cannot be unlinked when there is none', async () => {
    expect(await refusalOf(api().call(deleteChatLink, {}))).toMatchObject({
      status: 404,
      message: 'No such chat link.',
    })
  })
})

describe('NO-10 a direct message to a person who follows an app', () => {
  it('has the app, the category, the status code and one link', async () => {
    await install()
    const user = id('U')
    await link(admin, user)
    await follow(admin)
    await failDeploy()
    await until(() => messages().length === 1)
    const [{ to, message }] = messages() as [(typeof slack.messages)[0]]
    expect(to).toBe(`D${user}`)
    expect(message).toMatchObject({ channel: `D${user}`, unfurl_links: 'false', unfurl_media: 'false' })
    expect(message.text).toMatch(
      /^Shop · Failed deploys · BUILD_FAILED <https:\/\/app\.example\.test\/apps\/shop\/deploys\/dep_\w+\|Open>$/,
    )
    await ended(1)
    expect(await ledger()).toMatchObject([
      { status: 'delivered', destination: { kind: 'chat_dm', user_id: admin.user_id }, attempts: 1 },
    ])
  })

  it('NO-14 that collects an hour is one message with a line per code and count, and one link', async () => {
    await install()
    await link(admin, id('U'))
    await follow(admin, 'hourly')
    for (const status of ['BUILD_FAILED', 'TIMED_OUT', 'BUILD_FAILED'] as const) await failDeploy(status)
    await until(async () => (await ledger()).filter(({ status }) => status === 'pending').length === 3)
    await system.db.query(sql`
      update notifications.notifications set window_end = date_trunc('minute', now()) where org_id = ${admin.org_id}`)
    await digestLoop({ db: system.db, onError: (error) => expect.fail(String(error)) }).tick(
      new Date(),
      new AbortController().signal,
    )
    await ended(3)
    expect(messages().map(({ message }) => message.text)).toEqual([
      'Shop · Failed deploys · BUILD_FAILED × 2\nShop · Failed deploys · TIMED_OUT × 1\n<https://app.example.test/inbox|Open>',
    ])
  })

  it('NO-12 chat_not_linked: is not sent to a person without a linked account, who has it in the inbox', async () => {
    await install()
    await follow(admin)
    await failDeploy()
    await ended(1)
    expect(await ledger()).toMatchObject([{ status: 'not_sent', state: 'dropped', reason: 'chat_not_linked' }])
    expect((await api().call(listInbox, {})).items).toHaveLength(1)
    expect(messages()).toEqual([])
  })

  it('stops when the account is unlinked and resumes when it is linked again, with the preferences as they were', async () => {
    await install()
    const user = id('U')
    await link(admin, user)
    await follow(admin)
    expect(await api().call(deleteChatLink, {})).toEqual({ deleted: true })
    await failDeploy()
    await ended(1)
    expect(await reasons()).toEqual(['chat_not_linked'])
    await link(admin, user)
    await failDeploy()
    await until(() => messages().length === 1)
  })

  it('NO-12 chat_account_inactive: is found at the next send and stops until the account is linked again', async () => {
    await install()
    const user = id('U')
    await link(admin, user)
    await follow(admin)
    slack.deactivateUser(user)
    await failDeploy()
    await ended(1)
    expect(await ledger()).toMatchObject([{ status: 'not_sent', reason: 'chat_account_inactive', attempts: 1 }])
    expect(await api().call(readChatLink, {})).toEqual({
      connected: true,
      state: 'unlinked',
      unlinked_reason: 'account_inactive',
      account: null,
    })
    const asked = requests().length
    await failDeploy()
    await ended(2)
    expect(await reasons()).toEqual(['chat_account_inactive', 'chat_account_inactive'])
    expect(requests()).toHaveLength(asked)
    expect(messages()).toEqual([])

    const colleague = await person('member', admin.org_id)
    expect(await link(colleague, user)).toMatchObject({ status: 200 })
    expect(await link(admin, id('U'))).toMatchObject({ status: 200 })
    await failDeploy()
    await until(() => messages().length === 1)
  })

  it('NO-12 chat_account_inactive: is found when the account was deleted', async () => {
    await install()
    await link(admin, id('U'))
    await follow(admin)
    slack.answerNext({ team, path: '/api/users.info' }, { body: { ok: false, error: 'user_not_found' } })
    await failDeploy()
    await ended(1)
    expect(await reasons()).toEqual(['chat_account_inactive'])
  })

  it('NO-12 chat_installation_broken: is found when the app was removed, and installing again resumes', async () => {
    await install()
    await link(admin, id('U'))
    await follow(admin)
    slack.uninstall(team)
    await failDeploy()
    await ended(1)
    expect(await reasons()).toEqual(['chat_installation_broken'])
    expect(await api().call(readChat, {})).toMatchObject({ personal_messages: 'broken' })
    expect(await api().call(readChatLink, {})).toMatchObject({ connected: false, state: 'linked' })
    expect(await refusalOf(api().call(startChatLink, {}))).toMatchObject({ code: 'CHAT_NOT_CONNECTED' })
    const asked = requests().length
    await failDeploy()
    await ended(2)
    expect(await reasons()).toEqual(['chat_installation_broken', 'chat_installation_broken'])
    expect(requests()).toHaveLength(asked)
    await install()
    await failDeploy()
    await until(() => messages().length === 1)
  })

  it('NO-12 chat_installation_broken: is the reason when the connection was ended', async () => {
    await install()
    await link(admin, id('U'))
    await follow(admin)
    await api().call(disconnectChat, {})
    await failDeploy()
    await ended(1)
    expect(await reasons()).toEqual(['chat_installation_broken'])
  })

  it('NO-12 chat_not_linked: is the reason after the organization moved to another workspace', async () => {
    await install()
    await link(admin, id('U'))
    await follow(admin)
    await install(admin, 'C0OTHER', id('T'))
    await failDeploy()
    await ended(1)
    expect(await reasons()).toEqual(['chat_not_linked'])
    expect(await api().call(readChatLink, {})).toMatchObject({ connected: true, state: 'unlinked' })
  })

  it('NO-12 NO-05 no_part_in_app: is not sent to a person without a part in the app, and not in their inbox', async () => {
    await install()
    const viewer = await person('viewer', admin.org_id)
    await link(viewer, id('U'))
    await follow(viewer)
    await failDeploy()
    await ended(1)
    expect(await ledger()).toMatchObject([
      { status: 'not_sent', reason: 'no_part_in_app', destination: { kind: 'chat_dm', user_id: viewer.user_id } },
    ])
    expect((await api(viewer).call(listInbox, {})).items).toEqual([])
    expect(messages()).toEqual([])
  })

  it('NO-12 NO-05 no_part_in_app: is found at the next attempt when the person lost the part', async () => {
    await install()
    const second = await person('admin', admin.org_id)
    await link(second, id('U'))
    await follow(second)
    slack.answerNext({ team, path: '/api/users.info' }, { status: 503 })
    await failDeploy()
    await until(async () => (await ledger())[0]?.status === 'retrying')
    await system.db.query(sql`update auth.memberships set role = 'viewer' where user_id = ${second.user_id}`)
    await system.db.query(sql`
      update notifications.deliveries set next_at = clock_timestamp() where org_id = ${admin.org_id} and state = 'pending'`)
    await system.db.query(sql`
      update notifications.destinations set retry_at = clock_timestamp() where org_id = ${admin.org_id}`)
    await system.db.query(sql`select pg_notify('svc_notifications', '')`)
    await ended(1)
    expect(await reasons()).toEqual(['no_part_in_app'])
    expect(messages()).toEqual([])
  })

  it.each([
    ['users.info', 'hang up' as const, 'io'],
    ['conversations.open', 'hang up' as const, 'io'],
    ['chat.postMessage', { status: 429, body: { ok: false, error: 'ratelimited' } }, 'ratelimited'],
  ])('NO-07 is tried again when %s proves that nothing was posted', async (method, answer, reason) => {
    await install()
    await link(admin, id('U'))
    await follow(admin)
    slack.answerNext({ team, path: `/api/${method}` }, answer)
    await failDeploy()
    await until(async () => (await ledger())[0]?.status === 'retrying')
    expect(await ledger()).toMatchObject([{ reason, attempts: 1 }])
  })

  it('NO-07 is unknown and not sent again when the connection breaks after the message was posted', async () => {
    await install()
    await link(admin, id('U'))
    await follow(admin)
    slack.answerNext({ team, path: '/api/chat.postMessage' }, 'hang up')
    await failDeploy()
    await ended(1)
    expect(await ledger()).toMatchObject([{ state: 'failed', reason: 'outcome_unknown', attempts: 1 }])
  })

  it('NO-10 an account that was linked again stays active when an older attempt finds the former one inactive', async () => {
    await install()
    const user = id('U')
    await link(admin, user)
    await follow(admin)
    await system.db.query(sql`
      update notifications.chat_links set linked_at = clock_timestamp() + interval '1 hour'
      where user_id = ${admin.user_id}`)
    slack.deactivateUser(user)
    await failDeploy()
    await ended(1)
    expect(await reasons()).toEqual(['chat_account_inactive'])
    expect(await api().call(readChatLink, {})).toMatchObject({ state: 'linked' })
  })
})
