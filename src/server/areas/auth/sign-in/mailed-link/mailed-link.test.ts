import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { listInvitations, listMembers, listOrgs, revokeInvitation, setDomains } from '#contract/auth/members.ts'
import { sql } from '#lib/db/sql.ts'
import {
  ASKED,
  askForLink,
  LINK_ENV,
  linkIn,
  newAddress,
  open,
  press,
  statusAndTitle,
  UNUSABLE,
  useMailedLinks,
} from '#test/mailed-links.ts'
import { APP, googleUser, identitiesOf, SESSION, startSignIn } from '#test/sign-in.ts'
import { startSystem } from '#test/system.ts'

describe('who signs in by a mailed link', () => {
  const links = useMailedLinks()

  it('AU-21 signs in a member whom the operator added, and returns to the page they came for', async () => {
    const member = await links.system.member('developer')
    const { browser, link } = await links.asked(member.email, { return_to: '/databases?x=1' })
    expect(link).toMatch(new RegExp(`^${APP}/auth/mailed-link/svcl_\\w{49}$`))
    const page = await (await open(browser, link)).text()
    expect(page).toContain(`<p>You sign in as ${member.email}.</p>`)
    expect(page).toContain('<form method="post"><button class="button main">Sign in</button></form>')
    const back = await press(browser, link)
    expect([back.status, back.headers.get('location')]).toEqual([303, '/databases?x=1'])
    expect(await links.principal(browser)).toMatchObject({
      user_id: member.user_id,
      org_id: member.org_id,
      role: 'developer',
    })
  })

  it('AU-21 signs in the owner that the operator named, whatever the case of the address', async () => {
    const email = newAddress()
    const { owner } = await links.system.operator.call(adminCreateOrg, { name: 'Mine', admin_email: email })
    const browser = links.browser()
    await askForLink(browser, { email: ` ${email.toUpperCase()} ` })
    await press(browser, linkIn(links.mails(email)[0]!))
    expect(await links.principal(browser)).toMatchObject({ user_id: owner!.user_id, role: 'owner' })
  })

  it('AU-21 AU-06 an invited person accepts through a link to exactly the invited address', async () => {
    const email = newAddress()
    const { owner, client, invitation } = await links.invite(email)
    const browser = links.browser()
    const page = await (await open(browser, invitation.link)).text()
    expect(page).toContain(`<input type="hidden" name="invitation" value="${invitation.token}">`)
    const answer = await askForLink(browser, { invitation: invitation.token })
    const sent = await answer.text()
    expect(sent).toContain('If the invited address can sign in here')
    expect(sent + page).not.toContain(email)
    const back = await press(browser, linkIn(links.mails(email)[0]!))
    expect([back.status, back.headers.get('location')]).toEqual([303, `/auth/invitations/${invitation.token}`])
    expect(await links.principal(browser)).toMatchObject({ org_id: null })
    expect(await (await open(browser, invitation.link)).text()).toContain('Accept</button>')
    expect(await statusAndTitle(await press(browser, invitation.link))).toEqual([200, 'Welcome'])
    expect(await links.principal(browser)).toMatchObject({ org_id: owner.org_id, role: 'developer' })
    expect((await client.call(listInvitations, { org_id: owner.org_id })).items).toEqual([])
    const members = (await client.call(listMembers, { org_id: owner.org_id })).items
    expect(members.map((member) => [member.email, member.has_signed_in])).toEqual([
      [email, true],
      [owner.email, false],
    ])
  })

  it('AU-21 AU-06 an invitation to another address stays closed, and its page mails a link to that one', async () => {
    const { invitation } = await links.invite(newAddress())
    const member = await links.system.member('viewer')
    const { browser, link } = await links.asked(member.email)
    await press(browser, link)
    for (const response of [await open(browser, invitation.link), await press(browser, invitation.link)]) {
      expect(response.status).toBe(403)
      const page = await response.text()
      expect(page).toContain(`You are signed in as ${member.email}`)
      expect(page).toContain(`name="invitation" value="${invitation.token}"`)
    }
    expect(await links.principal(browser)).toMatchObject({ org_id: member.org_id })
  })

  it('AU-21 an account that an identity provider knows gets the same answer and no link', async () => {
    const { email, user_id } = await links.system.member('viewer')
    const before = await links.asked(email)
    await using withProvider = await startSignIn({ on: links.system, clock: links.clock })
    await withProvider.signIn(withProvider.browser(), 'google', googleUser({ email }))
    expect(await identitiesOf(links.system, user_id)).toHaveLength(1)
    // Bound between the mail and the button.
    expect(await statusAndTitle(await press(before.browser, before.link))).toEqual(UNUSABLE)
    await links.invite(email)
    const response = await askForLink(links.browser(), { email })
    expect(await statusAndTitle(response)).toEqual(ASKED)
    expect(links.mails(email)).toHaveLength(1)
  })

  it('AU-21 an account of a program gets the same answer and no link, also with an invitation', async () => {
    const email = newAddress()
    const { org_id } = await links.system.member('owner')
    const program = { org_id, email, name: 'worker', is_program: true }
    await links.system.operator.call(adminCreateToken, program)
    await links.invite(email)
    expect(await statusAndTitle(await askForLink(links.browser(), { email }))).toEqual(ASKED)
    expect(links.mails(email)).toEqual([])
    const member = await links.system.member('viewer')
    await links.system.operator.call(adminCreateToken, { ...program, org_id: member.org_id, email: member.email })
    expect((await links.asked(member.email)).link).toMatch(/svcl_/)
  })

  it('AU-21 a link for an invitation that was withdrawn since signs nobody in', async () => {
    const email = newAddress()
    const { owner, client, invitation } = await links.invite(email)
    const { browser, link } = await links.asked(email)
    await client.call(revokeInvitation, { org_id: owner.org_id, id: invitation.id })
    expect(await statusAndTitle(await press(browser, link))).toEqual(UNUSABLE)
    expect(await links.system.db.query(sql`select id from auth.users where email = ${email}`)).toEqual([])
  })

  it('AU-21 AU-06 joins no organization by its domain, and proves no domain', async () => {
    const domain = `d${randomBytes(4).toString('hex')}.test`
    const { id: org_id } = await links.system.operator.call(adminCreateOrg, { name: 'Domain', domains: [domain] })
    const email = newAddress(domain)
    const { owner, invitation } = await links.invite(email)
    const { browser, link } = await links.asked(email)
    await press(browser, link)
    await press(browser, invitation.link)
    const token = browser.cookie(APP, SESSION)!
    const orgs = (await links.system.client(token).call(listOrgs, {})).items.map(({ id }) => id)
    expect(orgs).toEqual([owner.org_id])

    const own = newAddress(`own-${domain}`)
    const mine = await links.system.operator.call(adminCreateOrg, { name: 'Own', admin_email: own })
    const signedIn = await links.asked(own)
    await press(signedIn.browser, signedIn.link)
    const client = links.system.client(signedIn.browser.cookie(APP, SESSION)!)
    await expect(client.call(setDomains, { org_id: mine.id, domains: [`own-${domain}`] })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })

    // The first sign-in with an identity provider is still to come: it binds the account and joins by the domain.
    await using withProvider = await startSignIn({ on: links.system, clock: links.clock })
    const other = withProvider.browser()
    await withProvider.signIn(other, 'google', googleUser({ email }))
    const after = (await withProvider.system.client(other.cookie(APP, SESSION)!).call(listOrgs, {})).items
    expect(after.map(({ id }) => id).sort()).toEqual([owner.org_id, org_id].sort())
  })

  it('AU-21 AU-06 an owner cannot add a domain of which another person signed in by a link', async () => {
    const domain = `d${randomBytes(4).toString('hex')}.test`
    const email = newAddress(domain)
    await links.invite(email)
    const { browser, link } = await links.asked(email)
    await press(browser, link)
    const claims = googleUser({ email: newAddress(domain) })
    const { id: org_id } = await links.system.operator.call(adminCreateOrg, {
      name: 'First',
      admin_email: claims.email,
    })
    await using withProvider = await startSignIn({ on: links.system, clock: links.clock })
    const owner = withProvider.browser()
    await withProvider.signIn(owner, 'google', claims)
    const client = withProvider.system.client(owner.cookie(APP, SESSION)!)
    await expect(client.call(setDomains, { org_id, domains: [domain] })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('Other people have an address'),
    })
  })

  it('AU-21 AU-08 rotating either secret kills links, and nothing else does', async () => {
    const { browser, link } = await links.askedByMember()
    const { jwtSecret, jwtSigningKey } = links.system.config.secrets
    for (const unchanged of [{ SVC_JWT_SECRET: jwtSecret! }, { SVC_JWT_SIGNING_KEY: jwtSigningKey! }]) {
      await using rotated = await startSystem({
        on: links.system,
        env: { ...LINK_ENV, ...unchanged },
        clock: links.clock,
      })
      const same = links.withFlowOf(browser, rotated)
      expect(await statusAndTitle(await open(same, link))).toEqual(UNUSABLE)
      expect(await statusAndTitle(await press(same, link))).toEqual(UNUSABLE)
    }
    expect((await press(browser, link)).status).toBe(303)
  })

  it('AU-21 AU-06 a link for an invitation does not store the token of the invitation', async () => {
    const { invitation } = await links.invite(newAddress())
    await askForLink(links.browser(), { invitation: invitation.token })
    // Disposing the system fails if it is found in the database or in the log.
    links.system.secrets.push(invitation.token)
  })

  it('AU-21 a link that the former release stored leads to the page that was asked for', async () => {
    const { email, browser, link } = await links.askedByMember()
    await links.system.db.query(sql`
      update auth.mailed_links set return_to = '/databases', sealed_return_to = null where email = ${email}`)
    expect((await press(browser, link)).headers.get('location')).toBe('/databases')
  })

  it('AU-21 is stored as a keyed hash only', async () => {
    const { email } = await links.system.member('viewer')
    const { link } = await links.asked(email)
    // Disposing the system fails if one of these is found in the database or in the log.
    links.system.secrets.push(link.slice(link.lastIndexOf('/') + 1))
  })
})
