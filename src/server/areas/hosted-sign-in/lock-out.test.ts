import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { testClock } from '#lib/time/clock.ts'
import { Browser } from '#test/browser/browser.ts'
import { type FakeIdp, startFakeIdp } from '#test/outside/fake-idp.ts'
import { googleUser } from '#test/sign-in.ts'
import { type System, startSystem } from '#test/system.ts'

const AUTH = 'https://auth.vendor.test'
const APP = 'https://app.customer.test'
const SESSION = '__Host-svc_session'
const GUESSER = '203.0.113.1'
const OTHER = '203.0.113.2'

/** The vendor sees every client of the customer at one address: that of the customer's gateway. */
describe('AU-05 sign-in at a hosted auth service while somebody guesses', () => {
  const clock = testClock(new Date())
  const stack = new AsyncDisposableStack()
  let idp: FakeIdp
  let vendor: System
  let customer: System

  beforeAll(async () => {
    idp = stack.use(await startFakeIdp())
    const vendorEnv = {
      SVC_GOOGLE_CLIENT_ID: idp.credentials.clientId,
      SVC_GOOGLE_CLIENT_SECRET: idp.credentials.clientSecret,
      SVC_REDIRECT_BASE_URL: AUTH,
      SVC_ALLOWED_REDIRECT_BASE_URLS: APP,
    }
    vendor = stack.use(await startSystem({ clock, outgoing: idp.outgoing, env: vendorEnv }))
    const customerEnv = {
      AUTH_SERVICE_URL: vendor.url,
      AUTH_LOGIN_URL: AUTH,
      SVC_REDIRECT_BASE_URL: APP,
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_JWT_SECRET: '',
      SVC_JWT_SIGNING_KEY: '',
      SVC_ACTOR_ASSERTION_SECRET: '',
    }
    customer = stack.use(await startSystem({ clock, env: customerEnv }))
  })
  afterAll(() => stack.disposeAsync())

  /** Posts a code that nobody issued to the customer's gateway. */
  const guess = async (address: string) => {
    const response = await fetch(`${customer.url}/api/v1/tokens/exchange`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ code: 'x', state: 'y' }),
    })
    return { status: response.status, code: ((await response.json()) as { code: string }).code }
  }

  /** Signs in from an address, up to the last step at the customer. */
  async function callbackOf(browser: Browser, address: string): Promise<string> {
    let url = `${APP}/auth/login`
    for (let hops = 0; hops < 8; hops++) {
      const response = await browser.go(url, { site: 'cross-site', headers: { 'x-forwarded-for': address } })
      const next = new URL(response.headers.get('location')!, url)
      if (next.pathname === '/auth/hosted/callback') return next.href
      url = next.origin === 'https://accounts.google.com' ? idp.authorize(next.href, googleUser()) : next.href
    }
    throw new Error('sent around in circles')
  }
  async function signInFrom(address: string) {
    const browser = new Browser({ [AUTH]: vendor.url, [APP]: customer.url })
    const callback = await callbackOf(browser, address)
    const { status } = await browser.go(callback, { site: 'cross-site', headers: { 'x-forwarded-for': address } })
    return [status, browser.cookie(APP, SESSION)?.slice(0, 5)]
  }

  it('121 made-up codes limit the client that sent them, and everybody still signs in', async () => {
    clock.advance(60_000)
    for (let n = 0; n < 120; n++) expect(await guess(GUESSER)).toEqual({ status: 401, code: 'INVALID_TOKEN' })
    expect(await guess(GUESSER)).toEqual({ status: 429, code: 'RATE_LIMITED' })
    // The vendor's own count of this customer is used up too: it must not show.
    expect(await guess(OTHER)).toEqual({ status: 401, code: 'INVALID_TOKEN' })
    for (const address of [OTHER, GUESSER]) expect(await signInFrom(address)).toEqual([303, 'svcs_'])
  })

  it('made-up answers of the sign-in page limit themselves, and a person behind the same address signs in', async () => {
    clock.advance(60_000)
    const statuses: number[] = []
    for (let n = 0; n < 61; n++) {
      const url = `${customer.url}/auth/hosted/callback?code=x&state=y`
      statuses.push((await fetch(url, { headers: { 'x-forwarded-for': GUESSER } })).status)
    }
    expect(statuses.slice(-2)).toEqual([400, 429])
    expect(await signInFrom(GUESSER)).toEqual([303, 'svcs_'])
  })

  it('no operation that a gateway passes on is limited by address for good requests', () => {
    const passedOn = OPERATIONS.filter(({ path }) => path.startsWith('/api/v1/'))
    const byAddress = passedOn.filter(({ rateLimits = [] }) => rateLimits.some(({ per }) => per === 'address'))
    expect(byAddress.map(({ name, rateLimits }) => [name, rateLimits![0]!.counts])).toEqual([
      ['sign-in.exchange', 'failures'],
    ])
  })
})
