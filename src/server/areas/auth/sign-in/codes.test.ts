import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { me } from '#contract/auth/members.ts'
import { exchangeCode } from '#contract/auth/sign-in.ts'
import { createClient } from '#contract/core/client.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import type { Browser } from '#test/browser/browser.ts'
import { APP, googleUser, type SignIn, startSignIn, titleOf } from '#test/sign-in.ts'
import { needs } from '#test/stores.ts'
import { startSystem } from '#test/system.ts'

const REDIRECT = 'https://app.base.com/auth/hosted/callback'
const STATE = 's'.repeat(43)

describe('AU-09 the code of a hosted sign-in', () => {
  let at: SignIn
  const clock = testClock(new Date())
  beforeAll(async () => {
    at = await startSignIn({ clock })
  })
  afterAll(() => at?.[Symbol.asyncDispose]())

  const login = (query: Record<string, string>) => `${APP}/auth/login?${new URLSearchParams(query)}`
  async function codeOf(browser: Browser, state = STATE): Promise<string> {
    const response = await browser.go(login({ redirect: REDIRECT, state }), { site: 'cross-site' })
    const url = new URL(response.headers.get('location')!)
    expect([url.origin + url.pathname, url.searchParams.get('state')]).toEqual([REDIRECT, state])
    return url.searchParams.get('code')!
  }
  async function signedIn(): Promise<Browser> {
    const browser = at.browser()
    await at.signIn(browser, 'google', googleUser())
    return browser
  }
  const exchange = (code: string, state = STATE, url = at.system.url) => {
    const from = `10.9.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`
    return createClient({ baseUrl: url, fetch, headers: () => ({ 'x-forwarded-for': from }) }).call(exchangeCode, {
      code,
      state,
    })
  }
  const REFUSED = { code: 'INVALID_TOKEN', message: 'Invalid or expired API token' }

  it('is given after signing in to users who are not signed in', async () => {
    const browser = at.browser()
    const page = await browser.go(login({ redirect: REDIRECT, state: STATE }), { site: 'cross-site' })
    const href = /href="([^"]*google[^"]*)"/.exec(await page.text())![1]!.replaceAll('&amp;', '&')
    const away = await browser.go(`${APP}${href}`)
    const claims = googleUser()
    const back = await browser.go(at.idp.authorize(away.headers.get('location')!, claims), { site: 'cross-site' })
    const last = await browser.go(`${APP}${back.headers.get('location')}`, { site: 'cross-site' })
    const code = new URL(last.headers.get('location')!).searchParams.get('code')!
    const { token, expires_at } = await exchange(code)
    expect(Date.parse(expires_at)).toBe(clock.now().getTime() + 12 * 3_600_000)
    expect((await at.system.client(token).call(me, {})).user?.email).toBe(claims.email)
  })

  it('works once', async () => {
    const code = await codeOf(await signedIn())
    await exchange(code)
    await expect(exchange(code)).rejects.toMatchObject(REFUSED)
  })

  it('is refused with another state, and afterwards also with its own', async () => {
    const code = await codeOf(await signedIn())
    await expect(exchange(code, 'o'.repeat(43))).rejects.toMatchObject(REFUSED)
    await expect(exchange(code)).rejects.toMatchObject(REFUSED)
  })

  it('expires after 60 seconds', async () => {
    const browser = await signedIn()
    const [early, late] = [await codeOf(browser), await codeOf(browser)]
    clock.advance(59_000)
    await exchange(early)
    clock.advance(2_000)
    await expect(exchange(late)).rejects.toMatchObject(REFUSED)
  })

  it('is refused once the session that asked for it has ended', async () => {
    const browser = await signedIn()
    const code = await codeOf(browser)
    await browser.go(`${APP}/auth/logout`, { method: 'POST' })
    await expect(exchange(code)).rejects.toMatchObject(REFUSED)
  })

  it('gives a session of the same age, so that 30 days remain the limit however often it is exchanged', async () => {
    const browser = await signedIn()
    const statuses: number[] = []
    for (let hours = 0; hours < 31 * 24; hours += 11) {
      clock.advance(11 * 3_600_000)
      const response = await browser.go(login({ redirect: REDIRECT, state: STATE }), { site: 'cross-site' })
      const code = response.status === 303 && new URL(response.headers.get('location')!).searchParams.get('code')
      statuses.push(response.status)
      if (code) browser.setCookie(APP, '__Host-svc_session', (await exchange(code)).token)
    }
    const renewed = statuses.filter((status) => status === 303).length
    expect(renewed).toBe(Math.floor((30 * 24 - 1) / 11))
  })

  it.each(['', 'x', 'svcc_0000000000000000000000000000000000000000000000000'])(
    'is refused if it is %j',
    async (code) => {
      await expect(exchange(code)).rejects.toMatchObject(REFUSED)
    },
  )

  it('cannot be replaced by a session, and is not accepted as a token', async () => {
    const browser = await signedIn()
    await expect(exchange(browser.cookie(APP, '__Host-svc_session')!)).rejects.toMatchObject(REFUSED)
    const code = await codeOf(browser)
    await expect(at.system.client(code).call(me, {})).rejects.toMatchObject({ status: 401 })
  })

  it('AU-08 is refused after a secret was rotated', async () => {
    const code = await codeOf(await signedIn())
    const { jwtSecret } = at.system.config.secrets
    await using rotated = await startSystem({ on: at.system, clock, env: { SVC_JWT_SECRET: jwtSecret } })
    await expect(exchange(code, STATE, rotated.url)).rejects.toMatchObject(REFUSED)
  })

  it('is stored only as a hash, like its state', async () => {
    const code = await codeOf(await signedIn())
    const rows = await at.system.db.query<{ row: string }>(sql`select c::text as row from auth.sign_in_codes c`)
    const all = rows.map(({ row }) => row).join()
    expect(all).not.toContain(code)
    expect(all).not.toContain(STATE)
  })

  it.each<[string, Record<string, string>, string]>([
    [
      'another address',
      { redirect: 'https://evil.test/auth/hosted/callback', state: STATE },
      'This address is not allowed',
    ],
    [
      'another page of an allowed one',
      { redirect: 'https://app.base.com/open?to=x', state: STATE },
      'This address is not allowed',
    ],
    ['no state', { redirect: REDIRECT }, 'Incomplete link'],
    ['no redirect', { state: STATE }, 'Incomplete link'],
  ])('is not sent to %s, also for a signed-in user', async (_, query, title) => {
    const browser = await signedIn()
    const response = await browser.go(login(query), { site: 'cross-site' })
    expect([response.status, await titleOf(response)]).toEqual([400, title])
  })

  it('AU-05 is exchanged also after too many refused codes from the same address', async () => {
    const client = createClient({ baseUrl: at.system.url, fetch, headers: () => ({ 'x-forwarded-for': '10.8.7.6' }) })
    const codes: string[] = []
    const send = (code: string) => client.call(exchangeCode, { code, state: STATE })
    for (let n = 0; n < 121; n++) {
      codes.push(
        await send('x')
          .then(() => 'let in')
          .catch((error: { code: string }) => error.code),
      )
    }
    expect(codes.slice(-2)).toEqual(['INVALID_TOKEN', 'RATE_LIMITED'])
    const code = await codeOf(await signedIn())
    const { token } = await send(code)
    expect(token).toMatch(/^svcs_/)
    await expect(send(code)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await expect(exchange(code)).rejects.toMatchObject(REFUSED)
  })

  needs('postgres')('at once', () => {
    it('gives a session to exactly one of eight concurrent requests', async () => {
      const code = await codeOf(await signedIn())
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => exchange(code)))
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })
  })
})
