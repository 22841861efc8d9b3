import { request as send } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { APP, FLOW, googleUser, microsoftUser, SESSION, type SignIn, startSignIn, titleOf } from '#test/sign-in.ts'

describe('AU-05 a sign-in with a provider', () => {
  let at: SignIn
  const clock = testClock(new Date())
  beforeAll(async () => {
    at = await startSignIn({ clock })
  })
  afterAll(() => at?.[Symbol.asyncDispose]())

  async function refused(response: Response, status: number, title: string) {
    expect([response.status, await titleOf(response)]).toEqual([status, title])
    expect(response.headers.getSetCookie().join()).not.toContain(SESSION)
  }
  const STALE = 'Sign-in could not be completed'
  const NOT_CONFIRMED = 'We could not confirm your identity'

  it('sends state, nonce and PKCE to the provider, with the redirect URI of the public address', async () => {
    const { origin, searchParams } = new URL(await at.leave(at.browser(), 'google'))
    expect(origin).toBe('https://accounts.google.com')
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: at.idp.credentials.clientId,
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${APP}/auth/google/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      prompt: 'select_account',
    })
  })

  it('sets an HttpOnly cookie and redirects to return_to', async () => {
    const browser = at.browser()
    const claims = googleUser()
    const response = await at.signIn(browser, 'google', claims, { return_to: '/somewhere?x=1' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/somewhere?x=1'])
    const [cookie] = response.headers.getSetCookie().filter((line) => line.startsWith(SESSION))
    expect(cookie).toMatch(/^__Host-svc_session=svcs_\w{49}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=2592000$/)
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const me = await browser.go(`${APP}/api/v1/me`)
    expect(await me.json()).toMatchObject({ kind: 'user', user: { email: claims.email, name: 'Pat' }, org: null })
  })

  it('is refused without a state, with an invented one, and with one of another browser', async () => {
    const browser = at.browser()
    const back = at.idp.authorize(await at.leave(browser, 'google'), googleUser())
    const without = new URL(back)
    without.searchParams.delete('state')
    await refused(await browser.go(without.href, { site: 'cross-site' }), 400, STALE)
    const other = new URL(back)
    other.searchParams.set('state', 'x'.repeat(43))
    await refused(await browser.go(other.href, { site: 'cross-site' }), 400, STALE)
    await refused(await at.browser().go(back, { site: 'cross-site' }), 400, STALE)
    const stranger = at.browser()
    await at.leave(stranger, 'google')
    await refused(await stranger.go(back, { site: 'cross-site' }), 400, STALE)
  })

  it('accepts a state once, whatever the outcome', async () => {
    const browser = at.browser()
    const back = at.idp.authorize(await at.leave(browser, 'google'), googleUser())
    expect((await browser.go(back, { site: 'cross-site' })).status).toBe(303)
    await refused(await browser.go(back, { site: 'cross-site' }), 400, STALE)
  })

  it('can be finished in two tabs of a browser', async () => {
    const browser = at.browser()
    const [one, two] = [await at.leave(browser, 'google'), await at.leave(browser, 'google')]
    const claims = googleUser()
    expect((await browser.go(at.idp.authorize(one, claims), { site: 'cross-site' })).status).toBe(303)
    expect((await browser.go(at.idp.authorize(two, claims), { site: 'cross-site' })).status).toBe(303)
  })

  it('is refused after ten minutes', async () => {
    const browser = at.browser()
    const url = await at.leave(browser, 'google')
    clock.advance(600_000)
    await refused(await browser.go(at.idp.authorize(url, googleUser())), 400, STALE)
  })

  it.each([
    ['another nonce', { nonce: 'y'.repeat(43) }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'somebody-else' }],
    ['another issuer', { iss: 'https://evil.test' }],
    ['a token that has run out', { iat: 1_600_000_000, exp: 1_600_000_300 }],
  ])('refuses an ID token with %s', async (_, lie) => {
    await refused(await at.signIn(at.browser(), 'google', googleUser(lie)), 400, NOT_CONFIRMED)
  })

  it('refuses an ID token that is not signed with the provider’s key', async () => {
    at.idp.useForeignKey(true)
    const response = await at.signIn(at.browser(), 'google', googleUser())
    at.idp.useForeignKey(false)
    await refused(response, 400, NOT_CONFIRMED)
  })

  it('refuses the code of another flow, by PKCE', async () => {
    const [mine, theirs] = [at.browser(), at.browser()]
    const back = new URL(at.idp.authorize(await at.leave(mine, 'google'), googleUser()))
    const stolen = new URL(at.idp.authorize(await at.leave(theirs, 'google'), googleUser()))
    back.searchParams.set('code', stolen.searchParams.get('code')!)
    await refused(await mine.go(back.href, { site: 'cross-site' }), 400, NOT_CONFIRMED)
  })

  it('is refused if it returns through another provider', async () => {
    const browser = at.browser()
    const back = at.idp.authorize(await at.leave(browser, 'google'), googleUser())
    const mixed = back.replace('/auth/google/', '/auth/microsoft/')
    await refused(await browser.go(mixed, { site: 'cross-site' }), 400, STALE)
  })

  it('refuses the code of another provider', async () => {
    const browser = at.browser()
    const google = new URL(at.idp.authorize(await at.leave(browser, 'google'), googleUser()))
    const microsoft = new URL(at.idp.authorize(await at.leave(browser, 'microsoft'), microsoftUser()))
    google.searchParams.set('code', microsoft.searchParams.get('code')!)
    await refused(await browser.go(google.href, { site: 'cross-site' }), 400, NOT_CONFIRMED)
  })

  it('refuses an answer that names another issuer (RFC 9207)', async () => {
    const browser = at.browser()
    const back = at.idp.authorize(await at.leave(browser, 'google'), googleUser())
    await refused(await browser.go(`${back}&iss=https%3A%2F%2Fevil.test`, { site: 'cross-site' }), 400, NOT_CONFIRMED)
  })

  it('shows a page for a cancelled sign-in, and another one for other errors', async () => {
    const browser = at.browser()
    const state = async () => new URL(await at.leave(browser, 'google')).searchParams.get('state')!
    const denied = await browser.go(`${APP}/auth/google/callback?error=access_denied&state=${await state()}`)
    await refused(denied, 400, 'Sign-in cancelled')
    const broken = await browser.go(`${APP}/auth/google/callback?error=server_error&state=${await state()}`)
    await refused(broken, 400, NOT_CONFIRMED)
  })

  it('answers 503 if the provider does not answer, and the next try works', async () => {
    await using fresh = await startSignIn({ on: at.system })
    fresh.idp.unplug(true)
    await refused(await fresh.browser().go(`${APP}/auth/google/start`), 503, 'The identity provider does not answer')
    fresh.idp.unplug(false)
    expect((await fresh.signIn(fresh.browser(), 'google', googleUser())).status).toBe(303)
  })

  it('answers 404 for a provider that is not configured', async () => {
    await refused(await at.browser().go(`${APP}/auth/hosted/start`), 404, 'Unknown identity provider')
    await refused(await at.browser().go(`${APP}/auth/google2/callback`), 404, 'Unknown identity provider')
  })

  it('is limited by address, at the start and at the callback', async () => {
    const browser = at.browser()
    const statuses: number[] = []
    for (let n = 0; n < 61; n++) statuses.push((await browser.go(`${APP}/auth/google/callback?state=x`)).status)
    expect(statuses.slice(-2)).toEqual([400, 429])
    expect((await at.browser().go(`${APP}/auth/google/callback?state=x`)).status).toBe(400)
  })

  it('AU-05 a sign-in that the former release saved leads to the page that was asked for', async () => {
    const browser = at.browser()
    const back = at.idp.authorize(await at.leave(browser, 'google'), googleUser())
    await at.system.db.query(sql`update auth.sign_in_flows set return_to = '/databases', sealed_return_to = null`)
    expect((await browser.go(back, { site: 'cross-site' })).headers.get('location')).toBe('/databases')
  })

  it('stores no secret in the clear and logs none', async () => {
    const browser = at.browser()
    const url = await at.leave(browser, 'google', { return_to: '/auth/invitations/svci_secret' })
    const { searchParams } = new URL(url)
    const back = at.idp.authorize(url, googleUser())
    const [row] = await at.system.db.query<{ all: string; code_verifier: string }>(
      sql`select f::text as all, code_verifier from auth.sign_in_flows f order by expires_at desc limit 1`,
    )
    expect(row!.all).not.toContain(searchParams.get('state'))
    expect(row!.all).not.toContain(browser.cookie(APP, FLOW))
    expect(row!.code_verifier).toMatch(/^v1\./)
    expect(row!.all).not.toContain('svci_secret')
    const signedIn = await browser.go(back, { site: 'cross-site' })
    expect(signedIn.headers.get('location')).toBe('/auth/invitations/svci_secret')
    const logs = at.system.logs.join('')
    for (const secret of [
      searchParams.get('state')!,
      new URL(back).searchParams.get('code')!,
      browser.cookie(APP, SESSION)!,
      at.idp.credentials.clientSecret,
    ]) {
      expect(logs).not.toContain(secret)
    }
  })
})

describe('AU-05 a sign-in that begins under another name of this machine', () => {
  const LOCAL = 'http://localhost:8080'
  let at: SignIn
  beforeAll(async () => {
    at = await startSignIn({ env: { SVC_REDIRECT_BASE_URL: LOCAL } })
  })
  afterAll(() => at?.[Symbol.asyncDispose]())

  /** Not `fetch`, which chooses Host itself. */
  const begin = (host: string, path = '/auth/google/start') =>
    new Promise<{ status: number; location: string }>((resolve, reject) => {
      const sent = send(`${at.system.url}${path}`, { headers: { host } }, (response) => {
        response.resume()
        resolve({ status: response.statusCode!, location: response.headers.location! })
      })
      sent.on('error', reject).end()
    })

  it('moves to the public address first, to which the provider sends the browser back', async () => {
    const moved = await begin('127.0.0.1:8080', '/auth/google/start?return_to=%2Fapps')
    expect(moved).toEqual({ status: 303, location: `${LOCAL}/auth/google/start?return_to=%2Fapps` })
    const { location } = await begin('localhost:8080', '/auth/google/start?return_to=%2Fapps')
    expect(new URL(location).searchParams.get('redirect_uri')).toBe(`${LOCAL}/auth/google/callback`)
  })

  it('stays where it is under another port or a name that is not of this machine, which a proxy may have set', async () => {
    for (const host of ['127.0.0.1:8081', 'svc.internal:8080']) {
      expect(new URL((await begin(host)).location).origin).toBe('https://accounts.google.com')
    }
  })
})
