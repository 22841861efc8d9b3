import { randomBytes } from 'node:crypto'
import { validateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import type { Principal } from '#contract/core/principal.ts'
import { sql } from '#lib/db/sql.ts'
import { Browser } from './browser/browser.ts'
import { type Claims, type FakeIdp, GENERIC_ISSUER, startFakeIdp } from './outside/fake-idp.ts'
import { type System, type SystemOptions, startSystem } from './system.ts'

export const APP = 'https://app.example.test'
export const SESSION = '__Host-svc_session'
export const FLOW = '__Host-svc_flow'
export const TENANT = '11111111-2222-4333-8444-555555555555'

export type SignIn = AsyncDisposable & {
  system: System
  idp: FakeIdp
  browser(): Browser
  /** Starts a sign-in and returns the address of the provider's page. */
  leave(browser: Browser, provider: string, query?: Record<string, string>): Promise<string>
  /** Runs a whole sign-in. */
  signIn(browser: Browser, provider: string, claims: Claims, query?: Record<string, string>): Promise<Response>
  /** Runs a whole sign-in with the generic provider, whose UserInfo endpoint answers `userInfo`. */
  signInGeneric(browser: Browser, claims: Claims, userInfo?: Claims): Promise<Response>
  /** Returns the principal of the browser's session. */
  principal(browser: Browser): Promise<Principal>
}

export async function startSignIn(options: SystemOptions = {}): Promise<SignIn> {
  const stack = new AsyncDisposableStack()
  const idp = stack.use(await startFakeIdp())
  const { clientId, clientSecret } = idp.credentials
  const env = {
    SVC_GOOGLE_CLIENT_ID: clientId,
    SVC_GOOGLE_CLIENT_SECRET: clientSecret,
    SVC_MICROSOFT_CLIENT_ID: clientId,
    SVC_MICROSOFT_CLIENT_SECRET: clientSecret,
    SVC_MICROSOFT_TENANT_ID: 'common',
    SVC_OIDC_ISSUER: GENERIC_ISSUER,
    SVC_OIDC_CLIENT_ID: clientId,
    SVC_OIDC_CLIENT_SECRET: clientSecret,
    SVC_OIDC_LABEL: 'Company SSO',
    SVC_REDIRECT_BASE_URL: APP,
    SVC_ALLOWED_REDIRECT_BASE_URLS: 'https://app.base.com, https://docs.base.com/team',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    ...options.env,
  }
  // Fakes of other services listen on loopback themselves.
  const outgoing = (request: Request) =>
    options.outgoing && new URL(request.url).hostname === '127.0.0.1'
      ? options.outgoing(request)
      : idp.outgoing(request)
  const system = stack.use(await startSystem({ ...options, env, outgoing }))
  const leave: SignIn['leave'] = async (browser, provider, query = {}) => {
    const response = await browser.go(`${APP}/auth/${provider}/start?${new URLSearchParams(query)}`)
    const location = response.headers.get('location')
    if (!location) throw new Error(`not sent to ${provider}: ${response.status}`)
    return location
  }
  return {
    system,
    idp,
    browser: () => new Browser({ [APP]: system.url }),
    leave,
    signIn: async (browser, provider, claims, query) => {
      const back = idp.authorize(await leave(browser, provider, query), claims)
      return browser.go(back, { site: 'cross-site' })
    },
    signInGeneric: async (browser, claims, userInfo) => {
      const back = idp.authorize(await leave(browser, 'oidc'), claims, userInfo)
      return browser.go(back, { site: 'cross-site' })
    },
    principal: async (browser) => {
      const token = browser.cookie(APP, SESSION)
      if (!token) throw new Error('not signed in')
      return (await createClient({ baseUrl: system.url, fetch }).call(validateToken, { token })).principal
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Returns the claims of a new Google user with a verified email. */
export function googleUser(over: Record<string, unknown> = {}): Claims & { email: string } {
  const id = randomBytes(6).toString('hex')
  return { sub: `g-${id}`, email: `p-${id}@people.test`, email_verified: true, name: 'Pat', ...over }
}

export function microsoftUser(over: Record<string, unknown> = {}): Claims & { email: string } {
  const id = randomBytes(6).toString('hex')
  return { sub: `m-${id}`, tid: TENANT, email: `p-${id}@people.test`, xms_edov: true, name: 'Pat', ...over }
}

/** Returns the claims of a new user of the generic provider with a verified email in the ID token. */
export function genericUser(over: Record<string, unknown> = {}): Claims & { email: string } {
  const id = randomBytes(6).toString('hex')
  return { sub: `o-${id}`, email: `p-${id}@people.test`, email_verified: true, name: 'Pat', ...over }
}

export async function identitiesOf({ db }: System, userId: string): Promise<{ issuer: string; subject: string }[]> {
  return db.query(sql`select issuer, subject from auth.identities where user_id = ${userId} order by created_at`)
}

/** Returns the heading of a page. */
export async function titleOf(response: Response): Promise<string | undefined> {
  return /<h1>(.*?)<\/h1>/.exec(await response.text())?.[1]
}
