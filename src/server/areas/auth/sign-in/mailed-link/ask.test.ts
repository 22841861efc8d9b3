import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { request as send } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { adminCreateToken } from '#contract/auth/auth.ts'
import { createInvitation } from '#contract/auth/members.ts'
import { signInMethods } from '#contract/auth/sign-in.ts'
import { sql } from '#lib/db/sql.ts'
import type { Browser } from '#test/browser/browser.ts'
import {
  ASK_URL,
  askForLink,
  browserOf,
  LINK_ENV,
  linkIn,
  mailsTo,
  newAddress,
  open,
  press,
  principalOf,
  statusAndTitle,
  useMailedLinks,
} from '#test/mailed-links.ts'
import { startMailServer } from '#test/outside/mail-server.ts'
import { APP } from '#test/sign-in.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const GOOGLE = { SVC_GOOGLE_CLIENT_ID: 'a', SVC_GOOGLE_CLIENT_SECRET: 'b' }

describe('asking for a sign-in link', () => {
  const links = useMailedLinks()

  it('AU-21 the answer for an address without an account is the same, and nothing is mailed', async () => {
    const { email: member } = await links.system.member('viewer')
    const stranger = newAddress()
    const answerTo = async (email: string) => {
      const response = await askForLink(links.browser(), { email })
      const cookie = response.headers.getSetCookie().map((line) => line.replace(/=\w+;/, '=…;'))
      const names = [...response.headers.keys()].sort()
      return { status: response.status, names, cookie, page: (await response.text()).replaceAll(email, '…') }
    }
    expect(await answerTo(stranger)).toEqual(await answerTo(member))
    expect([links.mails(stranger).length, links.mails(member).length]).toEqual([0, 1])
    const note = readFileSync(join(links.system.config.dataDir, 'sign-in-mails', 'not-mailed.txt'), 'utf8')
    expect(note).toContain(`a sign-in link for ${stranger}.`)
    expect(await links.system.db.query(sql`select id from auth.users where email = ${stranger}`)).toEqual([])
  })

  it('AU-21 begins with the configured address, whatever Host the request has', async () => {
    const { email } = await links.system.member('viewer')
    const forged = { host: 'evil.test', 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' }
    const status = await new Promise((resolve, reject) => {
      const type = 'application/x-www-form-urlencoded'
      const headers = { ...forged, 'content-type': type, 'sec-fetch-site': 'same-origin' }
      const sent = send(`${links.system.url}/auth/mailed-link`, { method: 'POST', headers }, (response) => {
        text(response).then(() => resolve(response.statusCode), reject)
      })
      sent.on('error', reject)
      sent.end(new URLSearchParams({ email }).toString())
    })
    expect(status).toBe(200)
    expect(linkIn(links.mails(email)[0]!)).toMatch(new RegExp(`^${APP}/`))
    expect(links.mails(email)[0]).not.toContain('evil.test')
  })

  it('AU-21 an invented invitation mails nothing and leads to the page that says so', async () => {
    const response = await askForLink(links.browser(), { invitation: 'svci_made/up' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/auth/invitations/svci_made%2Fup'])
  })

  it('AU-21 text that is no email address is refused on the page', async () => {
    for (const email of ['', 'ada', 'ada@example.com\r\nBcc: x@example.com', `${'a'.repeat(250)}@example.com`]) {
      const response = await askForLink(links.browser(), { email })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('This is not an email address.')
    }
  })

  it('AU-21 return_to of a foreign site is refused, one that the operator allowed is used', async () => {
    const { email } = await links.system.member('viewer')
    for (const return_to of ['//evil.test', 'https://evil.test/', 'https://docs.base.com/other']) {
      const query = new URLSearchParams({ return_to })
      const refused = [400, 'This address is not allowed']
      expect(await statusAndTitle(await links.browser().go(`${ASK_URL}?${query}`))).toEqual(refused)
      expect(await statusAndTitle(await askForLink(links.browser(), { email, return_to }))).toEqual(refused)
    }
    expect(links.mails(email)).toEqual([])
    const form = await links.browser().go(`${ASK_URL}?return_to=/x%22`)
    expect(await form.text()).toContain('name="return_to" value="/x&quot;"')
    const { browser, link } = await links.asked(email, { return_to: 'https://docs.base.com/team/a' })
    const page = await open(browser, link)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://docs.base.com;")
    expect((await press(browser, link)).headers.get('location')).toBe('https://docs.base.com/team/a')
  })

  it('AU-21 one caller asks at most 20 times in 15 minutes', async () => {
    const browser = links.browser()
    for (let n = 0; n < 20; n++) expect((await askForLink(browser, { email: newAddress() })).status).toBe(200)
    const response = await askForLink(browser, { email: newAddress() })
    expect([response.status, response.headers.has('retry-after')]).toEqual([429, true])
    expect((await askForLink(links.browser(), { email: newAddress() })).status).toBe(200)
    links.clock.advance(15 * MINUTE_MS)
  })

  it('AU-21 one caller gets five links for an address in 15 minutes, a stranger alike, and keeps nobody else out', async () => {
    const { email } = await links.system.member('viewer')
    for (const address of [email, newAddress()]) {
      const caller = links.browser()
      for (let n = 0; n < 5; n++) expect((await askForLink(caller, { email: address })).status).toBe(200)
      expect((await askForLink(caller, { email: address.toUpperCase() })).status).toBe(429)
      expect((await askForLink(links.browser(), { email: address })).status).toBe(200)
    }
    expect(links.mails(email)).toHaveLength(6)
  })

  it('AU-21 in a day one caller gets 20 links for an address, and all callers together get 100', async () => {
    // Limits count in windows that begin at midnight UTC.
    links.clock.set(new Date(Math.ceil(links.clock.now().getTime() / DAY_MS) * DAY_MS))
    const email = newAddress()
    const callers = Array.from({ length: 6 }, () => links.browser())
    const askFiveTimes = async (caller: Browser) => {
      const statuses = []
      for (let n = 0; n < 5; n++) statuses.push((await askForLink(caller, { email })).status)
      links.clock.advance(15 * MINUTE_MS)
      return statuses
    }
    for (const caller of callers.slice(0, 5)) {
      for (let n = 0; n < 4; n++) expect(await askFiveTimes(caller)).toEqual([200, 200, 200, 200, 200])
      expect(await askFiveTimes(caller)).toEqual([429, 429, 429, 429, 429])
    }
    const refused = await askForLink(callers[5]!, { email })
    const secondsToMidnight = 24 * 3600 - 5 * 5 * 15 * 60
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(secondsToMidnight)])
    links.clock.advance(secondsToMidnight * 1000)
    expect((await askForLink(callers[5]!, { email })).status).toBe(200)
    expect((await askForLink(callers[0]!, { email })).status).toBe(200)
  })

  it('AU-21 without a mail server, the mail is a file that only the operator can read, and the pages say where', async () => {
    const { email } = await links.system.member('viewer')
    const browser = links.browser()
    expect(await (await browser.go(ASK_URL)).text()).toContain('<code>sign-in-mails</code> of the data folder')
    expect(await (await askForLink(browser, { email })).text()).toContain(
      '<code>sign-in-mails</code> of the data folder',
    )
    const folder = join(links.system.config.dataDir, 'sign-in-mails')
    const name = readdirSync(folder).find((file) => file.includes(email))!
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([0o700, 0o600])
  })

  it('AU-21 is among the ways to sign in, and the sign-in page leads to it', async () => {
    expect(await links.system.client('').call(signInMethods, {})).toMatchObject({ providers: [], mailed_link: true })
    const response = await links.browser().go(`${APP}/auth/login?return_to=/x`)
    expect([response.status, response.headers.get('location')]).toEqual([303, `${ASK_URL}?return_to=%2Fx`])
    expect((await links.browser().go(`${APP}/auth/login?signed_out=1`)).status).toBe(200)
  })

  it('AU-21 does not exist beside an identity provider', async () => {
    const { email, browser, link } = await links.askedByMember()
    const secrets = {
      SVC_JWT_SECRET: links.system.config.secrets.jwtSecret!,
      SVC_JWT_SIGNING_KEY: links.system.config.secrets.jwtSigningKey!,
    }
    await using withProvider = await startSystem({
      on: links.system,
      env: { ...LINK_ENV, ...GOOGLE, ...secrets },
      clock: links.clock,
    })
    const same = links.withFlowOf(browser, withProvider)
    const answers = [
      await same.go(ASK_URL),
      await askForLink(same, { email }),
      await open(same, link),
      await press(same, link),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(mailsTo(withProvider, email)).toEqual([])
    expect((await withProvider.client('').call(signInMethods, {})).mailed_link).toBe(false)
  })
})

/** Adds a member whose address is not in the domain of examples. */
async function memberWithMailbox(system: System) {
  const { org_id } = await system.member('owner')
  return system.operator.call(adminCreateToken, { org_id, email: newAddress(), role: 'viewer', name: 't' })
}

it('AU-21 with a mail server the link is mailed, and only to those who may sign in', async () => {
  await using mail = await startMailServer()
  const smtp = { SVC_SMTP_URL: `smtp://127.0.0.1:${mail.address.port}`, SVC_MAIL_FROM: 'svc@example.com' }
  await using system = await startSystem({ env: { ...LINK_ENV, ...smtp } })
  const member = await memberWithMailbox(system)
  const browser = browserOf(system)
  const strangersPage = await (await askForLink(browserOf(system), { email: 'stranger@people.test' })).text()
  const membersPage = await (await askForLink(browser, { email: member.email })).text()
  expect(membersPage.replaceAll(member.email, '')).toBe(strangersPage.replaceAll('stranger@people.test', ''))
  expect(membersPage).toContain('<h1>Check your mail</h1>')
  expect(membersPage).not.toContain('sign-in-mails')
  const [received] = await until(async () => mail.received.length > 0 && mail.received)
  expect(received!.to).toEqual([member.email])
  const parsed = await PostalMime.parse(received!.message)
  expect(parsed.subject).toBe('Sign in to app.example.test')
  expect((await press(browser, linkIn(parsed.text!))).status).toBe(303)
  expect(await principalOf(system, browser)).toMatchObject({ user_id: member.user_id })
  // Nobody reads mails to the reserved domain of the first account.
  const reserved = await system.member('owner')
  expect(await statusAndTitle(await askForLink(browserOf(system), { email: reserved.email }))).toEqual([
    200,
    'Check your mail',
  ])
  expect(mail.received).toHaveLength(1)
  expect(existsSync(join(system.config.dataDir, 'sign-in-mails'))).toBe(false)
  const rows = await system.db.query<{ org_id: string }>(sql`select org_id, state from notifications.deliveries`)
  expect(rows).toEqual([{ org_id: '', state: 'sent' }])
})

it('AU-21 is never in the mailbox that owners read', async () => {
  await using system = await startSystem({ env: { DATABASE_URL: '', REDIS_URL: '' } })
  const owner = await system.member('owner')
  const other = await system.operator.call(adminCreateToken, {
    org_id: owner.org_id,
    email: 'other@people.test',
    role: 'owner',
    name: 't',
  })
  const headers = { 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ email: 'other@people.test' })
  expect((await fetch(`${system.url}/auth/mailed-link`, { method: 'POST', headers, body })).status).toBe(200)
  const [mail] = mailsTo(system, 'other@people.test')
  const link = /http:\/\/\S+\/auth\/mailed-link\/(\w+)/.exec(mail!)!
  expect(link[0]).toMatch(new RegExp(`^${system.url}/`))
  // An invitation that was asked for later has arrived, so the other mail would have, too.
  const invited = { org_id: owner.org_id, email: 'mara@people.test', role: 'viewer' } as const
  await system.client(owner.token).call(createInvitation, invited)
  const read = async (token: string) =>
    (await fetch(`${system.url}/mailbox`, { headers: { authorization: `Bearer ${token}` } })).text()
  const page = await until(async () => {
    const now = await read(owner.token)
    return now.includes('mara@people.test') && now
  })
  for (const mailbox of [page, await read(other.token)])
    expect([mailbox.includes('other@people.test'), mailbox.includes(link[1]!)]).toEqual([false, false])
})

needs('postgres')('with services in processes of their own', () => {
  it('AU-21 the worker mails the link that the auth service queued, and its button signs in at the gateway', async () => {
    await using mail = await startMailServer()
    const smtp = { SVC_SMTP_URL: `smtp://127.0.0.1:${mail.address.port}`, SVC_MAIL_FROM: 'svc@example.com' }
    await using system = await startSystem({ mode: 'apart', env: { ...LINK_ENV, ...smtp } })
    const member = await memberWithMailbox(system)
    const browser = browserOf(system)
    await askForLink(browser, { email: member.email })
    const [received] = await until(async () => mail.received.length > 0 && mail.received)
    const link = linkIn((await PostalMime.parse(received!.message)).text!)
    expect((await open(browser, link)).status).toBe(200)
    expect((await press(browser, link)).status).toBe(303)
    expect(await principalOf(system, browser)).toMatchObject({ user_id: member.user_id })
  })
})
