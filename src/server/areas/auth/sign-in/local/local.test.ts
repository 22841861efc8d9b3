import { randomInt } from 'node:crypto'
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminCreateOrg } from '#contract/auth/auth.ts'
import { signInMethods } from '#contract/auth/sign-in.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { type System, startSystem } from '#test/system.ts'

/** As the embedded default is configured, whichever engine the tests run on. */
const EMBEDDED = { DATABASE_URL: '', REDIS_URL: '' }

describe('local sign-in', () => {
  let system: System
  let owner: string
  // Everybody here calls from loopback: each test has a window of the limit to itself.
  const clock = testClock(new Date(Date.now() + randomInt(1_000_000) * 60_000))
  beforeEach(() => clock.advance(60_000))
  beforeAll(async () => {
    system = await startSystem({ env: EMBEDDED, clock })
    const org = await system.operator.call(adminCreateOrg, { name: 'Mine', admin_email: 'owner@example.com' })
    owner = org.owner!.user_id
    writeFileSync(join(system.config.dataDir, 'first-run.json'), JSON.stringify({ owner_email: 'owner@example.com' }))
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const file = () => join(system.config.dataDir, 'sign-in-code')
  const codeNow = () => readFileSync(file(), 'utf8').trim()

  /** Not `fetch`, which chooses Host itself. */
  function ask(
    headers: Record<string, string> = {},
    form?: Record<string, string>,
    url = system.url,
    path = '/auth/local',
  ) {
    return new Promise<{ status: number; cookie: string | undefined; location: string | undefined; body: string }>(
      (resolve, reject) => {
        const type = { 'content-type': 'application/x-www-form-urlencoded' }
        const options = { method: form ? 'POST' : 'GET', headers: { ...(form && type), ...headers } }
        const sent = send(`${url}${path}`, options, (response) => {
          const [cookie] = response.headers['set-cookie'] ?? []
          const { location } = response.headers
          text(response).then((body) => resolve({ status: response.statusCode!, cookie, location, body }), reject)
        })
        sent.on('error', reject)
        sent.end(form ? new URLSearchParams(form).toString() : undefined)
      },
    )
  }

  it('writes the code to a file that only its owner can read, and shows it on no page', async () => {
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(codeNow()).toMatch(/^[0-9a-f]{32}$/)
    const { status, body } = await ask()
    expect(status).toBe(200)
    expect(body).toContain('<form method="post" action="/auth/local">')
    expect(body).not.toContain(codeNow())
  })

  it('signs in the first owner once per code, and then writes a new code', async () => {
    const code = codeNow()
    const { status, cookie, location } = await ask({}, { code: ` ${code}\n`, return_to: '/there' })
    expect([status, location]).toEqual([303, '/there'])
    expect(cookie).toMatch(/^svc_session=svcs_\w{49}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
    const me = await fetch(`${system.url}/api/v1/me`, { headers: { cookie: cookie!.split(';')[0]! } })
    expect(await me.json()).toMatchObject({ user: { id: owner }, role: 'owner' })
    expect(codeNow()).not.toBe(code)
    const again = await ask({}, { code })
    expect([again.status, again.cookie]).toEqual([403, undefined])
  })

  it('binds no identity and verifies no email', async () => {
    const [row] = await system.db.query(sql`
      select first_signed_in_at, (select count(*) from auth.identities where user_id = ${owner}) as identities
      from auth.users where id = ${owner}`)
    expect(row).toEqual({ first_signed_in_at: null, identities: 0 })
  })

  it('refuses a wrong code without revealing the right one or using it up', async () => {
    const code = codeNow()
    for (const wrong of ['', 'x', code.slice(1), code.toUpperCase().replace(/\d/g, '0')]) {
      const { status, body } = await ask({}, { code: wrong })
      expect([status, body.includes('Wrong code. Read the file again')]).toEqual([403, true])
      expect(body).not.toContain(code)
    }
    expect(codeNow()).toBe(code)
  })

  it('AU-05 takes the right code after any number of wrong ones', async () => {
    const guesses = await Promise.all(Array.from({ length: 25 }, (_, n) => ask({}, { code: `${n}`.padStart(32, '0') })))
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(4)
    expect((await ask({}, { code: codeNow() })).status).toBe(303)
  })

  it('AU-05 refuses a code after 15 minutes, and the page has written another one then', async () => {
    await ask({}, { code: codeNow() })
    const code = codeNow()
    clock.advance(15 * 60_000 - 1)
    await ask()
    expect(codeNow()).toBe(code)
    clock.advance(1)
    expect((await ask({}, { code })).status).toBe(403)
    expect(codeNow()).not.toBe(code)
    clock.advance(15 * 60_000)
    const old = codeNow()
    await ask()
    expect(codeNow()).not.toBe(old)
    expect((await ask({}, { code: codeNow() })).status).toBe(303)
  })

  it('AU-05 takes a code that `svc console` wrote, once and for 15 minutes', async () => {
    const write = (code: string) => {
      writeFileSync(file(), `${code}\n`, { mode: 0o600 })
      utimesSync(file(), clock.now(), clock.now())
    }
    write('ab'.repeat(16))
    expect((await ask({}, { code: 'ab'.repeat(16) })).status).toBe(303)
    expect((await ask({}, { code: 'ab'.repeat(16) })).status).toBe(403)
    write('cd'.repeat(16))
    clock.advance(15 * 60_000)
    expect((await ask({}, { code: 'cd'.repeat(16) })).status).toBe(403)
  })

  it('CO-01 answers the script of the console with the cookie alone, once per code', async () => {
    const script = { accept: 'application/json' }
    const code = codeNow()
    const { status, cookie, location, body } = await ask(script, { code })
    expect([status, location, JSON.parse(body)]).toEqual([200, undefined, { signed_in: true }])
    const me = await fetch(`${system.url}/api/v1/me`, { headers: { cookie: cookie!.split(';')[0]! } })
    expect(await me.json()).toMatchObject({ user: { id: owner } })
    const again = await ask(script, { code })
    expect([again.status, again.cookie, JSON.parse(again.body)]).toMatchObject([
      403,
      undefined,
      { code: 'FORBIDDEN', detail: expect.stringContaining('Run `svc console` to get a new one.') },
    ])
  })

  it('CO-01 is among the ways to sign in, without a provider', async () => {
    expect(await system.client('').call(signInMethods, {})).toEqual({ providers: [], local: true, mailed_link: true })
  })

  it.each<[string, Record<string, string>]>([
    ['a name that points here', { host: 'evil.test' }],
    ['a name that begins like this machine', { host: '127.0.0.1.evil.test' }],
    ['localhost of somebody', { host: 'localhost.evil.test' }],
    ['an address of the network', { host: '192.168.1.2:8080' }],
    ['a proxy', { 'x-forwarded-for': '127.0.0.1' }],
    ['a proxy that names the host', { 'x-forwarded-host': 'localhost' }],
    ['a proxy that names the protocol', { 'x-forwarded-proto': 'https' }],
    ['a proxy by RFC 7239', { forwarded: 'for=127.0.0.1' }],
  ])('is 404 through %s, even with the code', async (_, headers) => {
    expect((await ask(headers)).status).toBe(404)
    expect((await ask(headers, { code: codeNow() })).status).toBe(404)
    expect((await ask({ ...headers, accept: 'application/json' }, { code: codeNow() })).status).toBe(404)
  })

  it.each(['localhost', 'localhost:8080', '127.0.0.1', '127.0.0.53:1', '[::1]:8080'])(
    'is available as %s',
    async (host) => {
      expect((await ask({ host })).status).toBe(200)
    },
  )

  it('refuses a return_to of another site', async () => {
    expect((await ask({}, { code: codeNow(), return_to: '//evil.test' })).status).toBe(400)
  })

  it('is where the sign-in page redirects on this machine, and its page leads to the mailed link', async () => {
    const response = await fetch(`${system.url}/auth/login?return_to=/x`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/auth/local?return_to=%2Fx'])
    const page = await fetch(`${system.url}/auth/local?return_to=/x`)
    expect(await page.text()).toContain(`href="${system.url}/auth/mailed-link?return_to=%2Fx"`)
  })

  it.each<Record<string, string>>([{ host: 'svc.example.com' }, { 'x-forwarded-for': '192.168.1.2' }])(
    'AU-21 the sign-in page redirects elsewhere to the mailed link, with %o',
    async (headers) => {
      const { status, location } = await ask(headers, undefined, system.url, '/auth/login')
      expect([status, location]).toEqual([303, `${system.url}/auth/mailed-link`])
    },
  )

  it('is not available beside a provider, nor on a shared database', async () => {
    const google = {
      SVC_GOOGLE_CLIENT_ID: 'a',
      SVC_GOOGLE_CLIENT_SECRET: 'b',
      SVC_REDIRECT_BASE_URL: 'http://localhost',
    }
    await using withProvider = await startSystem({ on: system, env: { ...EMBEDDED, ...google }, clock })
    await using shared = await startSystem({ on: system, env: { DATABASE_URL: 'postgres://unused.test/x' }, clock })
    for (const other of [withProvider, shared]) {
      expect((await ask({}, undefined, other.url)).status).toBe(404)
      expect((await ask({}, { code: 'x' }, other.url)).status).toBe(404)
      expect(() => readFileSync(join(other.config.dataDir, 'sign-in-code'))).toThrow('ENOENT')
    }
    expect(await withProvider.client('').call(signInMethods, {})).toEqual({
      providers: [{ name: 'google', label: 'Google' }],
      local: false,
      mailed_link: false,
    })
  })
})
