import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateToken } from '#contract/auth/auth.ts'
import { Browser } from '#test/browser/browser.ts'
import { type FakeIdp, startFakeIdp } from '#test/outside/fake-idp.ts'
import { type System, startSystem } from '#test/system.ts'

const AUTH = 'https://auth.vendor.test'
const APP = 'https://app.customer.test'
const SESSION = '__Host-svc_session'
const FLOW = '__Host-svc_flow'

/** Two systems with a database each: the vendor's, where people sign in, and a customer's that relies on it. */
describe('AU-09 an api-gateway whose auth service is remote', () => {
  const stack = new AsyncDisposableStack()
  let idp: FakeIdp
  let vendor: System
  let customer: System

  beforeAll(async () => {
    idp = stack.use(await startFakeIdp())
    vendor = stack.use(
      await startSystem({
        outgoing: idp.outgoing,
        env: {
          SVC_GOOGLE_CLIENT_ID: idp.credentials.clientId,
          SVC_GOOGLE_CLIENT_SECRET: idp.credentials.clientSecret,
          SVC_REDIRECT_BASE_URL: AUTH,
          SVC_ALLOWED_REDIRECT_BASE_URLS: APP,
        },
      }),
    )
    customer = stack.use(
      await startSystem({
        env: {
          AUTH_SERVICE_URL: vendor.url,
          AUTH_LOGIN_URL: AUTH,
          SVC_REDIRECT_BASE_URL: APP,
          SVC_JWT_SECRET: '',
          SVC_JWT_SIGNING_KEY: '',
          SVC_ACTOR_ASSERTION_SECRET: '',
        },
      }),
    )
  })
  afterAll(() => stack.disposeAsync())

  let people = 0
  async function person() {
    const { org_id } = await vendor.member('owner')
    const email = `p${++people}@people.test`
    await vendor.operator.call(adminCreateToken, { org_id, email, role: 'developer', name: 't' })
    return { claims: { sub: `s${people}`, email, email_verified: true }, org_id }
  }
  const newBrowser = () => new Browser({ [AUTH]: vendor.url, [APP]: customer.url })

  /** Goes where it is sent, agrees at the provider, and stops before the customer's callback. */
  async function upToCallback(browser: Browser, claims: { sub: string }, returnTo = '/'): Promise<string> {
    let url = `${APP}/auth/login?${new URLSearchParams({ return_to: returnTo })}`
    for (let hops = 0; hops < 8; hops++) {
      const response = await browser.go(url, { site: 'cross-site' })
      const next = new URL(response.headers.get('location')!, url)
      if (next.pathname === '/auth/hosted/callback') return next.href
      url = next.origin === 'https://accounts.google.com' ? idp.authorize(next.href, claims) : next.href
    }
    throw new Error('sent around in circles')
  }
  async function signedIn() {
    const { claims, org_id } = await person()
    const browser = newBrowser()
    const response = await browser.go(await upToCallback(browser, claims), { site: 'cross-site' })
    expect(response.status).toBe(303)
    return { browser, claims, org_id }
  }
  const titleOf = async (response: Response) => /<h1>(.*?)<\/h1>/.exec(await response.text())?.[1]

  it('AU-21 mails no sign-in links: people sign in at the hosted service only', async () => {
    const browser = newBrowser()
    const form = { email: 'p@people.test' }
    const answers = [
      await browser.go(`${APP}/auth/mailed-link`),
      await browser.go(`${APP}/auth/mailed-link`, { form }),
      await browser.go(`${APP}/auth/mailed-link/svcl_x`),
      await browser.go(`${APP}/auth/mailed-link/svcl_x`, { form: {} }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })

  it('a person signs in there and works here: own areas, and those of the auth service through the door', async () => {
    const { claims, org_id } = await person()
    const browser = newBrowser()
    const callback = await upToCallback(browser, claims, '/after?x=1')
    const response = await browser.go(callback, { site: 'cross-site' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/after?x=1'])
    const me = await browser.go(`${APP}/api/v1/me`)
    expect(await me.json()).toMatchObject({ user: { email: claims.email }, org: { id: org_id }, role: 'developer' })
    expect((await browser.go(`${APP}/api/wf/slim/data-sources`)).status).toBe(200)
    const orgResponse = await browser.go(`${APP}/api/v1/orgs`, { json: { name: 'From afar' } })
    expect(orgResponse.status).toBe(201)
  })

  it('no token ever stands in a URL, and each address has a session of its own', async () => {
    const { claims } = await person()
    const browser = newBrowser()
    const callback = await upToCallback(browser, claims)
    expect(callback).toMatch(/\?code=svcc_\w{49}&state=[\w-]{43}$/)
    await browser.go(callback, { site: 'cross-site' })
    const [here, there] = [browser.cookie(APP, SESSION)!, browser.cookie(AUTH, SESSION)!]
    expect(here).toMatch(/^svcs_/)
    expect(here).not.toBe(there)
  })

  it('an API token of there works here', async () => {
    const { token } = await vendor.member('developer')
    const response = await fetch(`${customer.url}/api/wf/slim/data-sources`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(200)
  })

  it('a code that comes to another browser, without its state, or again is refused', async () => {
    const { claims } = await person()
    const browser = newBrowser()
    const callback = await upToCallback(browser, claims)
    const stale = async (response: Response) => {
      expect([response.status, await titleOf(response)]).toEqual([400, 'Sign-in could not be completed'])
    }
    const victim = newBrowser()
    await stale(await victim.go(callback, { site: 'cross-site' }))
    await victim.go(`${APP}/auth/login`)
    await stale(await victim.go(callback, { site: 'cross-site' }))
    expect(victim.cookie(APP, SESSION)).toBeUndefined()
    const without = new URL(callback)
    without.searchParams.delete('state')
    await stale(await browser.go(without.href, { site: 'cross-site' }))
    const flow = browser.cookie(APP, FLOW)!
    expect((await browser.go(callback, { site: 'cross-site' })).status).toBe(303)
    browser.setCookie(APP, FLOW, flow)
    await stale(await browser.go(callback, { site: 'cross-site' }))
    browser.setCookie(APP, FLOW, `${flow.slice(0, -2)}xx`)
    await stale(await browser.go(callback, { site: 'cross-site' }))
  })

  it('signing in again ends the session before', async () => {
    const { browser, claims } = await signedIn()
    const before = browser.cookie(APP, SESSION)!
    await browser.go(await upToCallback(browser, claims), { site: 'cross-site' })
    expect(browser.cookie(APP, SESSION)).not.toBe(before)
    const old = await fetch(`${vendor.url}/api/v1/me`, { headers: { authorization: `Bearer ${before}` } })
    expect(old.status).toBe(401)
  })

  it('signing out ends the session there, at once', async () => {
    const { browser } = await signedIn()
    const secret = browser.cookie(APP, SESSION)!
    const lured = await browser.go(`${APP}/auth/logout`, { form: {}, site: 'cross-site' })
    expect(lured.status).toBe(403)
    const response = await browser.go(`${APP}/auth/logout`, { form: {}, headers: { accept: 'text/html' } })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/auth/login?signed_out=1'])
    expect(await titleOf(await browser.go(`${APP}/auth/login?signed_out=1`))).toBe('You are signed out')
    for (const url of [customer.url, vendor.url]) {
      const after = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${secret}` } })
      expect(after.status).toBe(401)
    }
  })

  it('a person switches organization, by form or JSON', async () => {
    const { browser, org_id } = await signedIn()
    const orgResponse = await browser.go(`${APP}/api/v1/orgs`, { json: { name: 'Second' } })
    const { id } = (await orgResponse.json()) as { id: string }
    const before = browser.cookie(APP, SESSION)
    const form = await browser.go(`${APP}/auth/org`, { form: { org_id: id, return_to: '/x' } })
    expect([form.status, form.headers.get('location')]).toEqual([303, '/x'])
    expect(browser.cookie(APP, SESSION)).not.toBe(before)
    const json = await browser.go(`${APP}/auth/org`, { json: { org_id } })
    expect(await json.json()).toEqual({ org_id, role: 'developer', expires_at: expect.any(String) })
    expect(await (await browser.go(`${APP}/api/v1/me`)).json()).toMatchObject({ org: { id: org_id } })
    expect((await browser.go(`${APP}/auth/org`, { json: { org_id: 'org_x' } })).status).toBe(404)
    const foreign = { org_id: id, return_to: 'https://evil.test' }
    expect((await browser.go(`${APP}/auth/org`, { form: foreign })).status).toBe(400)
  })

  it('a write by cookie from another site is refused at the door, and no cookie of ours leaves it', async () => {
    const { browser } = await signedIn()
    const response = await browser.go(`${APP}/api/v1/orgs`, { json: { name: 'x' }, site: 'cross-site' })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, 'CSRF'])
    const token = await browser.go(`${APP}/api/v1/sessions/token`, { json: {} })
    expect([token.status, token.headers.getSetCookie()]).toEqual([200, []])
  })

  it('the providers’ pages are 404 here, and return_to of other sites is refused', async () => {
    for (const path of ['/auth/google/start', '/auth/google/callback', '/auth/local']) {
      expect([path, (await newBrowser().go(`${APP}${path}`)).status]).toEqual([path, 404])
    }
    const response = await newBrowser().go(`${APP}/auth/login?return_to=//evil.test`)
    expect([response.status, await titleOf(response)]).toEqual([400, 'This address is not allowed'])
  })

  it('AU-10 no authorization server is advertised to agents where auth is hosted, whatever secrets are set', async () => {
    await using beside = await startSystem({
      on: customer,
      env: { AUTH_SERVICE_URL: vendor.url, AUTH_LOGIN_URL: AUTH, SVC_REDIRECT_BASE_URL: APP },
    })
    const paths = ['oauth-protected-resource', 'oauth-protected-resource/mcp/platform', 'oauth-authorization-server']
    for (const path of paths) expect((await fetch(`${beside.url}/.well-known/${path}`)).status).toBe(404)
    expect((await fetch(`${beside.url}/oauth/register`, { method: 'POST', body: '{}' })).status).toBe(404)
    const { status, headers } = await fetch(`${beside.url}/mcp/platform`, { method: 'POST' })
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('a page says so when the auth service does not answer', async () => {
    await using alone = await startSystem({
      on: customer,
      env: { AUTH_SERVICE_URL: 'http://127.0.0.1:9', AUTH_LOGIN_URL: `${AUTH}/auth/login`, SVC_REDIRECT_BASE_URL: APP },
    })
    const browser = new Browser({ [APP]: alone.url })
    const away = new URL((await browser.go(`${APP}/auth/login`)).headers.get('location')!)
    expect(away.origin + away.pathname).toBe(`${AUTH}/auth/login`)
    expect(away.searchParams.get('redirect')).toBe(`${APP}/auth/hosted/callback`)
    const callback = `${APP}/auth/hosted/callback?code=x&state=${away.searchParams.get('state')}`
    const response = await browser.go(callback, { site: 'cross-site' })
    expect([response.status, await titleOf(response)]).toEqual([503, 'The sign-in service does not answer'])
  })
})
