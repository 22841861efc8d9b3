import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createInvitation, listInvitations, resendInvitation, revokeInvitation } from '#contract/auth/members.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import type { Browser } from '#test/browser/browser.ts'
import { startMailServer, type TestMailServer } from '#test/outside/mail-server.ts'
import { APP, googleUser, type SignIn, startSignIn, titleOf } from '#test/sign-in.ts'
import { needs } from '#test/stores.ts'
import { startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const DAY_MS = 24 * 3_600_000

describe('a mailed invitation', () => {
  const clock = testClock(new Date())
  let at: SignIn
  let mail: TestMailServer
  beforeAll(async () => {
    mail = await startMailServer()
    const env = {
      SVC_SMTP_URL: `smtp://127.0.0.1:${mail.address.port}`,
      SVC_MAIL_FROM: 'svc@example.com',
    }
    at = await startSignIn({ env, clock })
  })
  afterAll(async () => {
    await at?.[Symbol.asyncDispose]()
    await mail?.[Symbol.asyncDispose]()
  })

  async function invite(email: string) {
    const owner = await at.system.member('owner')
    await at.system.db.query(sql`update auth.users set name = 'Olu <Obi>' where id = ${owner.user_id}`)
    await at.system.db.query(sql`update auth.orgs set name = 'Acme & Sons' where id = ${owner.org_id}`)
    const client = at.system.client(owner.token)
    const invitation = await client.call(createInvitation, { org_id: owner.org_id, email, role: 'developer' })
    return { owner, client, invitation }
  }
  const mailsTo = (email: string) => mail.received.filter(({ to }) => to.includes(email))
  const mailTo = async (email: string, index = 0) =>
    PostalMime.parse((await until(async () => mailsTo(email)[index])).message)
  const signedIn = async (claims = googleUser()) => {
    const browser = at.browser()
    await at.signIn(browser, 'google', claims)
    return browser
  }
  const open = (browser: Browser, link: string) => browser.go(link, { site: 'cross-site' })
  const accept = (browser: Browser, link: string) => browser.go(link, { form: {} })

  it('AU-06 leads the person through sign-in to a membership, and works once', async () => {
    const person = googleUser()
    const { owner, invitation } = await invite(person.email)
    const received = await mailTo(person.email)
    expect(received.subject).toBe('Olu <Obi> invites you to Acme & Sons')
    expect(received.text).toContain('to join the organization Acme & Sons with the role developer.')
    expect(received.text).toContain(`sign in with the address ${person.email}`)
    const link = /https:\/\/\S+\/auth\/invitations\/\S+/.exec(received.text ?? '')![0]
    expect(link).toBe(invitation.link)
    expect(link).toBe(`${APP}/auth/invitations/${invitation.token}`)

    const browser = at.browser()
    const page = await (await open(browser, link)).text()
    expect(page).toContain('<dd>Olu &lt;Obi&gt;</dd>')
    expect(page).toContain('<dd>Acme &amp; Sons</dd>')
    expect(page).toContain('<dd>developer</dd>')
    const login = /href="(\/auth\/login\?[^"]+)"/.exec(page)![1]!
    const return_to = new URL(login, APP).searchParams.get('return_to')!
    const back = await at.signIn(browser, 'google', person, { return_to })
    expect(back.headers.get('location')).toBe(`/auth/invitations/${invitation.token}`)

    const question = await open(browser, link)
    const text = await question.text()
    expect(text).toContain('<form method="post"><button class="button main">Accept</button></form>')
    expect(text).toContain('You are signed in as ')
    expect((await at.principal(browser)).org_id).toBeNull()
    const joined = await accept(browser, link)
    expect([joined.status, await titleOf(joined)]).toEqual([200, 'Welcome'])
    expect(await at.principal(browser)).toMatchObject({ org_id: owner.org_id, role: 'developer' })
    for (const again of [await open(browser, link), await accept(browser, link)])
      expect([again.status, await titleOf(again)]).toEqual([409, 'This invitation was already used'])
    expect(mailsTo(person.email)).toHaveLength(1)
  })

  it('NO-12 owners see what became of the mail', async () => {
    const { owner, client } = await invite('seen@example.org')
    const mailOf = async () => (await client.call(listInvitations, { org_id: owner.org_id })).items[0]!.mail
    await until(async () => (await mailOf())?.status === 'sent')
    expect(await mailOf()).toEqual({ status: 'sent', reason: null })
  })

  it('AU-06 opening the link changes nothing, also for a person who is signed in', async () => {
    const person = googleUser()
    const { invitation } = await invite(person.email)
    const browser = await signedIn(person)
    for (let n = 0; n < 3; n++) expect((await open(browser, invitation.link)).status).toBe(200)
    expect((await at.principal(browser)).org_id).toBeNull()
  })

  it('AU-06 a form of another site is refused', async () => {
    const person = googleUser()
    const { invitation } = await invite(person.email)
    const browser = await signedIn(person)
    const response = await browser.go(invitation.link, { form: {}, site: 'cross-site' })
    expect(response.status).toBe(403)
    expect((await at.principal(browser)).org_id).toBeNull()
  })

  it('AU-06 another account is told so, without the invited address, and joins nothing', async () => {
    const { invitation } = await invite('someone.invited@example.org')
    const other = googleUser()
    const browser = await signedIn(other)
    for (const response of [await open(browser, invitation.link), await accept(browser, invitation.link)]) {
      expect(response.status).toBe(403)
      const page = await response.text()
      expect(page).toContain('This invitation is for another account')
      expect(page).toContain(`You are signed in as ${other.email}`)
      expect(page).not.toContain('someone.invited')
    }
    expect((await at.principal(browser)).org_id).toBeNull()
  })

  it('AU-06 without a session the form leads to the sign-in and joins nothing', async () => {
    const person = googleUser()
    const { invitation } = await invite(person.email)
    const response = await accept(at.browser(), invitation.link)
    expect([response.status, await titleOf(response)]).toEqual([200, 'You are invited'])
    const browser = await signedIn(person)
    expect((await at.principal(browser)).org_id).toBeNull()
  })

  it('AU-06 a withdrawn, an expired and an invented link each get their page', async () => {
    const withdrawn = await invite('withdrawn@example.org')
    const { owner, client } = withdrawn
    await client.call(revokeInvitation, { org_id: owner.org_id, id: withdrawn.invitation.id })
    const expired = await invite('expired@example.org')
    const browser = at.browser()
    const titles = async (link: string) => {
      const response = await open(browser, link)
      return [response.status, await titleOf(response)]
    }
    expect(await titles(withdrawn.invitation.link)).toEqual([409, 'This invitation was withdrawn'])
    expect(await titles(`${APP}/auth/invitations/svci_made_up`)).toEqual([404, 'This link is not valid'])
    clock.advance(7 * DAY_MS)
    expect(await titles(expired.invitation.link)).toEqual([409, 'This invitation has expired'])
  })

  it('AU-06 a resend mails a new link, and the former one stops working', async () => {
    const person = googleUser()
    const { owner, client, invitation } = await invite(person.email)
    await mailTo(person.email)
    const again = await client.call(resendInvitation, { org_id: owner.org_id, id: invitation.id })
    expect(again).toMatchObject({ id: invitation.id, email: person.email, role: 'developer' })
    expect(again.token).not.toBe(invitation.token)
    expect((await mailTo(person.email, 1)).text).toContain(again.link)
    const browser = await signedIn(person)
    expect((await open(browser, invitation.link)).status).toBe(404)
    expect(await titleOf(await accept(browser, again.link))).toBe('Welcome')
    await expect(client.call(resendInvitation, { org_id: owner.org_id, id: invitation.id })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(mailsTo(person.email)).toHaveLength(2)
  })

  it('AU-06 one address gets at most ten invitations a day, from all organizations together', async () => {
    const email = 'popular@example.org'
    const first = await invite(email)
    for (let n = 0; n < 8; n++) await invite(email)
    const resend = () => first.client.call(resendInvitation, { org_id: first.owner.org_id, id: first.invitation.id })
    await resend()
    const refusal = {
      code: 'RATE_LIMITED',
      message: 'popular@example.org was sent 10 invitations in the last 24 hours. Try again tomorrow.',
    }
    await expect(resend()).rejects.toMatchObject(refusal)
    await expect(invite(email)).rejects.toMatchObject(refusal)
    clock.advance(DAY_MS + 1)
    await invite(email)
  })
})

it('AU-06 without an identity provider the page offers to mail a sign-in link', async () => {
  await using system = await startSystem()
  const owner = await system.member('owner')
  const invited = { org_id: owner.org_id, email: 'mara@example.org', role: 'viewer' } as const
  const { token } = await system.client(owner.token).call(createInvitation, invited)
  const response = await fetch(`${system.url}/auth/invitations/${token}`)
  expect([response.status, await titleOf(response.clone())]).toEqual([200, 'You are invited'])
  const page = await response.text()
  expect(page).toContain('<form method="post" action="/auth/mailed-link">')
  // The mail is a file there, which only the operator finds.
  expect(page).toContain('No mail server is configured here.')
  expect(page).toContain('<code>sign-in-mails</code> of the data folder')
  expect(page).not.toContain('mara@example.org')
})

needs('postgres')('with services in processes of their own', () => {
  it('NO-09 the worker mails what the auth service queued', async () => {
    await using mail = await startMailServer()
    const env = { SVC_SMTP_URL: `smtp://127.0.0.1:${mail.address.port}`, SVC_MAIL_FROM: 'svc@example.com' }
    await using system = await startSystem({ mode: 'apart', env })
    const owner = await system.member('owner')
    const invited = { org_id: owner.org_id, email: 'mara@example.org', role: 'viewer' } as const
    const { link } = await system.client(owner.token).call(createInvitation, invited)
    const [received] = await until(async () => mail.received.length > 0 && mail.received)
    expect(received!.to).toEqual(['mara@example.org'])
    expect((await PostalMime.parse(received!.message)).text).toContain(link)
  })
})
