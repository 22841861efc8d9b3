import { SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateToken, createOrg } from '#contract/auth/auth.ts'
import { me } from '#contract/auth/members.ts'
import { startSupport } from '#contract/auth/support.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import type { Browser } from '#test/browser/browser.ts'
import { APP, googleUser, SESSION, type SignIn, startSignIn } from '#test/sign-in.ts'
import { startSystem } from '#test/system.ts'
import { authKeys } from '../model/deps.ts'

const HOUR = 3_600_000

describe('sessions', () => {
  let at: SignIn
  const clock = testClock(new Date())
  beforeAll(async () => {
    at = await startSignIn({ clock })
  })
  afterAll(() => at?.[Symbol.asyncDispose]())

  async function signedIn(): Promise<Browser> {
    const browser = at.browser()
    await at.signIn(browser, 'google', googleUser())
    return browser
  }
  const whoAmI = async (browser: Browser) => (await browser.go(`${APP}/api/v1/me`)).status
  const jwtOf = async (browser: Browser) => {
    const response = await browser.go(`${APP}/api/v1/sessions/token`, { json: {} })
    return (await response.json()) as { token: string; expires_at: string }
  }
  const statusOf = async (token: string, path = '/api/v1/me', init: RequestInit = {}) =>
    (await fetch(`${at.system.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } })).status

  it('AU-05 signing in sets a new cookie, and the one set before is refused', async () => {
    const attacker = await signedIn()
    const planted = attacker.cookie(APP, SESSION)!
    const victim = at.browser()
    victim.setCookie(APP, SESSION, planted)
    await at.signIn(victim, 'google', googleUser())
    expect(victim.cookie(APP, SESSION)).not.toBe(planted)
    expect(await whoAmI(attacker)).toBe(401)
    expect(await whoAmI(victim)).toBe(200)
  })

  it('are stored only as a keyed hash', async () => {
    const secret = (await signedIn()).cookie(APP, SESSION)!
    const [row] = await at.system.db.query(sql`
      select count(*) from auth.sessions s where s::text like ${`%${secret}%`} or hash = sha256(${secret}::bytea)`)
    expect(row).toEqual({ count: 0 })
  })

  it('end after 12 hours without use, and continue with use', async () => {
    const [idle, busy] = [await signedIn(), await signedIn()]
    clock.advance(11 * HOUR)
    expect(await whoAmI(busy)).toBe(200)
    clock.advance(HOUR)
    expect([await whoAmI(idle), await whoAmI(busy)]).toEqual([401, 200])
  })

  it('end after 30 days, however much they are used', async () => {
    const browser = await signedIn()
    for (let hours = 0; hours < 30 * 24 - 11; hours += 11) {
      clock.advance(11 * HOUR)
      expect(await whoAmI(browser)).toBe(200)
    }
    clock.advance(11 * HOUR)
    expect(await whoAmI(browser)).toBe(401)
  })

  describe('CSRF', () => {
    it.each([
      ['a page of ours', 'same-origin', 201],
      ['another site', 'cross-site', 403],
      ['a neighbouring host', 'same-site', 403],
      ['nobody knows who', 'none', 403],
    ] as const)('a write by cookie from %s', async (_, site, status) => {
      const browser = await signedIn()
      const response = await browser.go(`${APP}/api/v1/orgs`, { json: { name: 'x' }, site })
      expect(response.status).toBe(status)
      if (status === 403) expect(await response.json()).toMatchObject({ code: 'CSRF' })
    })

    it('is not checked for reads and bearer tokens, and callers without a session get 401', async () => {
      const browser = await signedIn()
      expect((await browser.go(`${APP}/api/v1/me`, { site: 'cross-site' })).status).toBe(200)
      const { token } = await jwtOf(browser)
      const headers = { authorization: `Bearer ${token}` }
      const write = { json: { name: 'x' }, site: 'cross-site' } as const
      expect((await at.browser().go(`${APP}/api/v1/orgs`, { ...write, headers })).status).toBe(201)
      expect((await at.browser().go(`${APP}/api/v1/orgs`, write)).status).toBe(401)
    })

    it('is checked when signing out, switching organization and creating a token', async () => {
      const browser = await signedIn()
      for (const path of ['/auth/logout', '/auth/org', '/api/v1/sessions/token']) {
        const response = await browser.go(`${APP}${path}`, { json: {}, site: 'cross-site' })
        expect([path, response.status]).toEqual([path, 403])
      }
      expect(await whoAmI(browser)).toBe(200)
    })
  })

  describe('user JWTs', () => {
    it('are accepted in place of the session for 15 minutes', async () => {
      const browser = await signedIn()
      const { token, expires_at } = await jwtOf(browser)
      expect(Date.parse(expires_at) - clock.now().getTime()).toBeGreaterThan(14 * 60_000)
      const { user_id } = await at.principal(browser)
      expect((await at.system.client(token).call(me, {})).user?.id).toBe(user_id)
      clock.advance(15 * 60_000)
      expect(await statusOf(token)).toBe(401)
      expect(await whoAmI(browser)).toBe(200)
    })

    it('can neither create another one nor switch organization', async () => {
      const { token } = await jwtOf(await signedIn())
      expect(await statusOf(token, '/api/v1/sessions/token', { method: 'POST' })).toBe(403)
      const response = await fetch(`${at.system.url}/auth/org`, {
        method: 'POST',
        body: '{"org_id":"org_x"}',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      })
      expect(response.status).toBe(403)
    })

    it('are not issued to API tokens nor to support sessions', async () => {
      const { token, org_id } = await at.system.member('owner')
      expect(await statusOf(token, '/api/v1/sessions/token', { method: 'POST' })).toBe(403)
      const support = await at.system.operator.call(startSupport, {
        org_id,
        staff_email: 'staff@vendor.test',
        reason: 'a test of what support may not do',
      })
      expect(await statusOf(support.token, '/api/v1/sessions/token', { method: 'POST' })).toBe(403)
      expect(await statusOf('', '/api/v1/sessions/token', { method: 'POST' })).toBe(401)
    })

    it('AU-01 of another type, algorithm, key or issuer are refused', async () => {
      const browser = await signedIn()
      const { token } = await jwtOf(browser)
      expect(await statusOf(token)).toBe(200)
      const payload = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>
      const { jwtSecret, jwtSigningKey } = at.system.config.secrets
      const { userJwt } = authKeys(jwtSecret!, jwtSigningKey!)
      const sign = (header: { alg?: string; typ?: string }, change: Record<string, unknown> = {}, key = userJwt) =>
        new SignJWT({ ...payload, ...change })
          .setProtectedHeader({ alg: 'HS256', typ: 'user+jwt', ...header })
          .sign(key)
      expect(await statusOf(await sign({}))).toBe(200)
      const none = new UnsecuredJWT(payload).encode()
      const noneTyped = `${Buffer.from('{"alg":"none","typ":"user+jwt"}').toString('base64url')}.${none.split('.')[1]}.`
      const bad = {
        'another type': await sign({ typ: 'at+jwt' }),
        'no type worth the name': await sign({ typ: 'JWT' }),
        'another algorithm': await sign({ alg: 'HS512' }, {}, Buffer.concat([userJwt, userJwt])),
        'another key': await sign({}, {}, Buffer.alloc(32, 7)),
        'the secret itself as key': await sign({}, {}, Buffer.from(jwtSecret!, 'hex')),
        'another issuer': await sign({}, { iss: 'other' }),
        'another audience': await sign({}, { aud: 'mcp' }),
        'a session of another person': await sign({}, { sub: 'usr_other' }),
        'no session': await sign({}, { sid: undefined }),
        'no expiry': await sign({}, { exp: undefined }),
        'alg none': none,
        'alg none with our type': noneTyped,
      }
      for (const [what, forged] of Object.entries(bad)) expect([what, await statusOf(forged)]).toEqual([what, 401])
    })
  })

  describe('signing out', () => {
    it('ends the session and its JWTs at once', async () => {
      const browser = await signedIn()
      const secret = browser.cookie(APP, SESSION)!
      const { token } = await jwtOf(browser)
      expect([await statusOf(token), await statusOf(secret)]).toEqual([200, 200])
      const response = await browser.go(`${APP}/auth/logout`, { form: {}, headers: { accept: 'text/html' } })
      expect([response.status, response.headers.get('location')]).toEqual([303, '/auth/login?signed_out=1'])
      expect(browser.cookie(APP, SESSION)).toBeUndefined()
      expect([await statusOf(token), await statusOf(secret)]).toEqual([401, 401])
    })

    it('works with a bearer token for programs, and repeatedly for browsers', async () => {
      const { token } = await jwtOf(await signedIn())
      expect(await statusOf(token, '/auth/logout', { method: 'POST' })).toBe(204)
      expect(await statusOf(token, '/auth/logout', { method: 'POST' })).toBe(401)
      expect((await at.browser().go(`${APP}/auth/logout`, { method: 'POST' })).status).toBe(204)
    })
  })

  describe('switching organization', () => {
    async function inTwo() {
      const browser = at.browser()
      const claims = googleUser()
      const { org_id } = await at.system.member('owner')
      await at.system.operator.call(adminCreateToken, { org_id, email: claims.email, role: 'developer', name: 't' })
      await at.signIn(browser, 'google', claims)
      const { token } = await jwtOf(browser)
      const own = await at.system.client(token).call(createOrg, { name: 'Own' })
      return { browser, first: org_id, second: own.id }
    }

    it('starts another session: the cookie changes and the former one is refused', async () => {
      const { browser, first, second } = await inTwo()
      expect(await at.principal(browser)).toMatchObject({ org_id: first, role: 'developer' })
      const before = browser.cookie(APP, SESSION)!
      const { token } = await jwtOf(browser)
      const response = await browser.go(`${APP}/auth/org`, { form: { org_id: second, return_to: '/there' } })
      expect([response.status, response.headers.get('location')]).toEqual([303, '/there'])
      expect(await at.principal(browser)).toMatchObject({ org_id: second, role: 'owner' })
      expect([await statusOf(before), await statusOf(token)]).toEqual([401, 401])
    })

    it('as JSON returns the secret only to bearer sessions, never to cookies', async () => {
      const { browser, first, second } = await inTwo()
      const byCookie = await browser.go(`${APP}/auth/org`, { json: { org_id: second } })
      expect(await byCookie.json()).toEqual({ org_id: second, role: 'owner', expires_at: expect.any(String) })
      const headers = { authorization: `Bearer ${browser.cookie(APP, SESSION)}` }
      const byBearer = await at.browser().go(`${APP}/auth/org`, { json: { org_id: first }, headers })
      expect(byBearer.headers.getSetCookie()).toEqual([])
      const { token } = (await byBearer.json()) as { token: string }
      expect((await at.system.client(token).call(me, {})).org?.id).toBe(first)
    })

    it('to one the user is not a member of is 404 and changes nothing', async () => {
      const { browser } = await inTwo()
      const { org_id } = await at.system.member('owner')
      const before = browser.cookie(APP, SESSION)
      expect((await browser.go(`${APP}/auth/org`, { json: { org_id } })).status).toBe(404)
      expect(browser.cookie(APP, SESSION)).toBe(before)
      expect(await whoAmI(browser)).toBe(200)
    })

    it('answers 400 to a malformed body, 415 to another type, and refuses a foreign return_to before any change', async () => {
      const { browser, second } = await inTwo()
      expect((await browser.go(`${APP}/auth/org`, { json: { org_id: second, x: 1 } })).status).toBe(400)
      expect((await browser.go(`${APP}/auth/org`, { form: {} })).status).toBe(400)
      const text = { 'content-type': 'text/plain' }
      expect((await browser.go(`${APP}/auth/org`, { json: {}, headers: text })).status).toBe(415)
      const foreign = { org_id: second, return_to: 'https://evil.test' }
      expect((await browser.go(`${APP}/auth/org`, { form: foreign })).status).toBe(400)
      expect(await whoAmI(browser)).toBe(200)
    })

    it('does not extend the session', async () => {
      const { browser, second } = await inTwo()
      for (let hours = 0; hours < 29 * 24; hours += 11) {
        clock.advance(11 * HOUR)
        await whoAmI(browser)
      }
      expect((await browser.go(`${APP}/auth/org`, { json: { org_id: second } })).status).toBe(200)
      expect(await whoAmI(browser)).toBe(200)
      for (let hours = 0; hours < 33; hours += 11) {
        clock.advance(11 * HOUR)
        await whoAmI(browser)
      }
      expect(await whoAmI(browser)).toBe(401)
    })
  })

  it.each(['SVC_JWT_SECRET', 'SVC_JWT_SIGNING_KEY'])(
    'AU-08 are refused, like JWTs, after rotating %s',
    async (rotated) => {
      const browser = await signedIn()
      const { token } = await jwtOf(browser)
      const { jwtSecret, jwtSigningKey } = at.system.config.secrets
      const same = { SVC_JWT_SECRET: jwtSecret, SVC_JWT_SIGNING_KEY: jwtSigningKey }
      const opens = async (env: Record<string, string | undefined>) => {
        await using system = await startSystem({ on: at.system, env, clock })
        const ask = (bearer: string) =>
          fetch(`${system.url}/api/v1/me`, { headers: { authorization: `Bearer ${bearer}` } })
        return [(await ask(token)).status, (await ask(browser.cookie(APP, SESSION)!)).status]
      }
      expect(await opens(same)).toEqual([200, 200])
      expect(await opens({ ...same, [rotated]: 'cd'.repeat(32) })).toEqual([401, 401])
    },
  )
})
