import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { sql } from '#lib/db/sql.ts'
import {
  APP,
  googleUser,
  identitiesOf,
  microsoftUser,
  SESSION,
  type SignIn,
  startSignIn,
  titleOf,
} from '#test/sign-in.ts'
import { needs } from '#test/stores.ts'

describe('signing in with an identity', () => {
  let at: SignIn
  beforeAll(async () => {
    at = await startSignIn()
  })
  afterAll(() => at?.[Symbol.asyncDispose]())

  const org = (over: { domains?: string[] } = {}) => at.system.operator.call(adminCreateOrg, { name: 'Org', ...over })
  const createPerson = async (email: string, org_id?: string) =>
    at.system.operator.call(adminCreateToken, { org_id: org_id ?? (await org()).id, email, role: 'admin', name: 't' })

  describe('AU-05 binding', () => {
    it('a user created before their first sign-in is bound by the same verified email and keeps their role', async () => {
      const claims = googleUser()
      const { user_id, org_id } = await createPerson(claims.email)
      const browser = at.browser()
      await at.signIn(browser, 'google', { ...claims, email: claims.email.toUpperCase() })
      expect(await at.principal(browser)).toMatchObject({ kind: 'user', user_id, org_id, role: 'admin' })
      expect(await identitiesOf(at.system, user_id)).toEqual([
        { issuer: 'https://accounts.google.com', subject: claims.sub },
      ])
    })

    it('afterwards the identity decides: with another email it is still the same user', async () => {
      const claims = googleUser()
      const { user_id } = await createPerson(claims.email)
      await at.signIn(at.browser(), 'google', claims)
      const browser = at.browser()
      await at.signIn(browser, 'google', { ...claims, email: 'renamed@elsewhere.test', email_verified: false })
      expect(await at.principal(browser)).toMatchObject({ user_id })
    })

    it('another identity with the same email is refused, at the same provider or the other', async () => {
      const claims = googleUser()
      const { user_id } = await createPerson(claims.email)
      await at.signIn(at.browser(), 'google', claims)
      for (const [provider, thief] of [
        ['google', googleUser({ email: claims.email })],
        ['microsoft', microsoftUser({ email: claims.email })],
      ] as const) {
        const response = await at.signIn(at.browser(), provider, thief)
        expect([response.status, await titleOf(response)]).toEqual([403, 'Use your other identity provider'])
      }
      expect(await identitiesOf(at.system, user_id)).toHaveLength(1)
    })

    it.each([
      ['Google says false', 'google', googleUser({ email_verified: false })],
      ['Google says "true" as text', 'google', googleUser({ email_verified: 'true' })],
      ['Google says nothing', 'google', googleUser({ email_verified: undefined })],
      ['Google names no address', 'google', googleUser({ email: undefined })],
      ['Google names what is none', 'google', googleUser({ email: 'nobody' })],
      ['Microsoft is silent', 'microsoft', microsoftUser({ xms_edov: undefined })],
      ['Microsoft says false', 'microsoft', microsoftUser({ xms_edov: false })],
      ['Microsoft says 0', 'microsoft', microsoftUser({ xms_edov: '0' })],
    ])('an address that is not verified signs nobody in: %s', async (_, provider, claims) => {
      if (claims.email?.includes('@')) await createPerson(claims.email)
      const browser = at.browser()
      const response = await at.signIn(browser, provider, claims)
      expect([response.status, await titleOf(response)]).toEqual([403, 'Your email address is not verified'])
      expect(browser.cookie(APP, SESSION)).toBeUndefined()
      const bound = await at.system.db.query(sql`select from auth.identities where subject = ${claims.sub}`)
      expect(bound).toEqual([])
    })

    it('a refusal creates no user', async () => {
      const claims = googleUser({ email_verified: false })
      await at.signIn(at.browser(), 'google', claims)
      expect(await at.system.db.query(sql`select from auth.users where email = ${claims.email}`)).toEqual([])
    })

    it('an unknown person becomes a user without an organization, who may create one', async () => {
      const browser = at.browser()
      await at.signIn(browser, 'google', googleUser())
      expect(await at.principal(browser)).toMatchObject({ org_id: null, role: null })
      const response = await browser.go(`${APP}/api/v1/orgs`, { json: { name: 'Mine' } })
      expect(response.status).toBe(201)
    })
  })

  describe('AU-06 the domain rule', () => {
    const domain = () => `d${Math.random().toString(36).slice(2)}.test`

    it('a verified address of the domain joins as member at the first sign-in', async () => {
      const mail = domain()
      const { id } = await org({ domains: [mail] })
      const browser = at.browser()
      await at.signIn(browser, 'google', googleUser({ email: `new@${mail}` }))
      expect(await at.principal(browser)).toMatchObject({ org_id: id, role: 'member' })
      const [entry] = await at.system.db.query(
        sql`select action from svc.audit where org_id = ${id} order by id desc limit 1`,
      )
      expect(entry).toEqual({ action: 'member.joined_by_domain' })
    })

    it('a subdomain is another domain', async () => {
      const mail = domain()
      await org({ domains: [mail] })
      for (const email of [`new@sub.${mail}`, `new@not${mail}`, `"x@${mail}"@evil.test`]) {
        const browser = at.browser()
        await at.signIn(browser, 'google', googleUser({ email }))
        if (browser.cookie(APP, SESSION)) expect(await at.principal(browser)).toMatchObject({ org_id: null })
      }
    })

    it('applies at the first sign-in only: a domain that is set later admits no existing user', async () => {
      const mail = domain()
      const claims = googleUser({ email: `early@${mail}` })
      await at.signIn(at.browser(), 'google', claims)
      await org({ domains: [mail] })
      const browser = at.browser()
      await at.signIn(browser, 'google', claims)
      expect(await at.principal(browser)).toMatchObject({ org_id: null })
    })

    it('a member keeps their role, and a user removed before their first sign-in is not added again', async () => {
      const mail = domain()
      const { id } = await org({ domains: [mail] })
      await createPerson(`boss@${mail}`, id)
      const boss = at.browser()
      await at.signIn(boss, 'google', googleUser({ email: `boss@${mail}` }))
      expect(await at.principal(boss)).toMatchObject({ org_id: id, role: 'admin' })

      const { user_id } = await createPerson(`gone@${mail}`, id)
      await at.system.db.query(sql`delete from auth.memberships where user_id = ${user_id}`)
      await at.system.db.query(sql`insert into auth.departures (org_id, user_id) values (${id}, ${user_id})`)
      const gone = at.browser()
      await at.signIn(gone, 'google', googleUser({ email: `gone@${mail}` }))
      expect(await at.principal(gone)).toMatchObject({ user_id, org_id: null })
    })

    it('the session starts in the newest of the user’s organizations', async () => {
      const claims = googleUser()
      await createPerson(claims.email)
      const second = await org()
      await createPerson(claims.email, second.id)
      const browser = at.browser()
      await at.signIn(browser, 'google', claims)
      expect(await at.principal(browser)).toMatchObject({ org_id: second.id })
    })
  })

  describe('a second provider', () => {
    it('is linked while signed in, and then either provider signs in the same user', async () => {
      const [google, microsoft] = [googleUser(), microsoftUser({ xms_edov: undefined })]
      const browser = at.browser()
      await at.signIn(browser, 'google', google)
      const { user_id } = await at.principal(browser)
      const before = browser.cookie(APP, SESSION)
      const url = await at.leave(browser, 'microsoft', { link: '1', return_to: '/settings' })
      const response = await browser.go(at.idp.authorize(url, microsoft), { site: 'cross-site' })
      expect([response.status, response.headers.get('location')]).toEqual([303, '/settings'])
      expect(browser.cookie(APP, SESSION)).not.toBe(before)
      for (const [provider, claims] of [
        ['google', google],
        ['microsoft', microsoft],
      ] as const) {
        const again = at.browser()
        await at.signIn(again, provider, claims)
        expect(await at.principal(again)).toMatchObject({ user_id })
      }
    })

    it('linking needs a session, and a page of ours to come from', async () => {
      const stranger = await at.browser().go(`${APP}/auth/google/start?link=1`)
      expect([stranger.status, await titleOf(stranger)]).toEqual([403, 'Sign in first'])
      const browser = at.browser()
      await at.signIn(browser, 'google', googleUser())
      const lured = await browser.go(`${APP}/auth/microsoft/start?link=1`, { site: 'cross-site' })
      expect([lured.status, lured.headers.get('location')]).toEqual([403, null])
    })

    it('an identity of another user cannot be linked', async () => {
      const theirs = microsoftUser()
      const victim = at.browser()
      await at.signIn(victim, 'microsoft', theirs)
      const browser = at.browser()
      await at.signIn(browser, 'google', googleUser())
      const me = await at.principal(browser)
      const response = await at.signIn(browser, 'microsoft', theirs, { link: '1' })
      expect([response.status, await titleOf(response)]).toEqual([409, 'This identity is already in use'])
      expect(await identitiesOf(at.system, me.user_id!)).toHaveLength(1)
    })

    it('a user who signs in as somebody else in between links nothing', async () => {
      const browser = at.browser()
      await at.signIn(browser, 'google', googleUser())
      const linking = await at.leave(browser, 'microsoft', { link: '1' })
      const flow = browser.cookie(APP, '__Host-svc_flow')!
      await at.signIn(browser, 'google', googleUser())
      browser.setCookie(APP, '__Host-svc_flow', flow)
      const response = await browser.go(at.idp.authorize(linking, microsoftUser()), { site: 'cross-site' })
      expect([response.status, await titleOf(response)]).toEqual([403, 'Sign in first'])
    })
  })

  needs('postgres')('at once', () => {
    it('one of eight concurrent identities with the same verified email is bound', async () => {
      const { email } = googleUser()
      const { user_id } = await createPerson(email)
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async () => (await at.signIn(at.browser(), 'google', googleUser({ email }))).status),
      )
      expect(statuses.toSorted((a, b) => a - b)).toEqual([303, ...Array.from({ length: 7 }, () => 403)])
      expect(await identitiesOf(at.system, user_id)).toHaveLength(1)
    })

    it('one identity in eight browsers at once is one user, new or existing', async () => {
      const claims = googleUser()
      const browsers = Array.from({ length: 8 }, () => at.browser())
      const statuses = await Promise.all(
        browsers.map(async (browser) => (await at.signIn(browser, 'google', claims)).status),
      )
      expect(statuses).toEqual(Array.from({ length: 8 }, () => 303))
      const users = await at.system.db.query(sql`select from auth.users where email = ${claims.email}`)
      expect(users).toHaveLength(1)
    })
  })
})
