import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import {
  asking,
  type Connector,
  ISSUER,
  type Person,
  PLATFORM,
  pkce,
  REDIRECT,
  startConnector,
} from '#test/agents/connector.ts'
import { type System, startSystem } from '#test/system.ts'
import { normalizeAuthorizeQuery } from './authorize.ts'

describe('an authorization request', () => {
  let c: Connector
  let person: Person
  let clientId: string
  beforeAll(async () => {
    c = await startConnector()
    person = await c.person()
    clientId = await c.client()
  })
  afterAll(() => c[Symbol.asyncDispose]())

  const ask = async (over: Record<string, string | string[] | undefined>, browser = person.browser) => {
    const response = await c.authorize(browser, asking(clientId, pkce().challenge, over))
    const location = response.headers.get('location')
    const back = location !== null && URL.canParse(location) ? new URL(location) : undefined
    const sent = back && new URLSearchParams(back.search || back.hash.slice(1))
    return { status: response.status, location, error: sent?.get('error'), sent, response }
  }

  it.each([
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['the plain method', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a challenge that cannot be one', { code_challenge: 'short' }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['an ID token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['code and token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['an unknown resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['a resource with a path more', { resource: `${PLATFORM}/more` }, 'invalid_target'],
    ['a resource with a query', { resource: `${PLATFORM}?x=1` }, 'invalid_target'],
    ['a resource that is none', { resource: 'platform' }, 'invalid_target'],
    ['two resources', { resource: [PLATFORM, `${ISSUER}/mcp/notifications`] }, 'invalid_target'],
    ['only unknown scopes', { scope: 'admin root' }, 'invalid_scope'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'https://elsewhere.example/r' }, 'request_uri_not_supported'],
    ['no interaction', { prompt: 'none' }, 'consent_required'],
  ])('AU-10 with %s is refused at the redirect URI, with state and iss', async (_, over, error) => {
    const { status, sent, location } = await ask(over)
    expect({ status, error: sent?.get('error') }).toEqual({ status: 303, error })
    expect(location?.startsWith(`${REDIRECT}?`) || location?.startsWith(`${REDIRECT}#`)).toBe(true)
    expect(sent?.get('state')).toBe('state-of-the-client')
    expect(sent?.get('iss')).toBe(ISSUER)
    expect(sent?.get('code')).toBeNull()
  })

  it.each([
    ['another port', 'http://127.0.0.1:33419/callback'],
    ['no port', 'http://127.0.0.1/callback'],
    ['other case', 'http://127.0.0.1:33418/Callback'],
    ['a suffix', 'http://127.0.0.1:33418/callback/more'],
    ['a slash more', 'http://127.0.0.1:33418/callback/'],
    ['a query', 'http://127.0.0.1:33418/callback?x=1'],
    ['a user', 'http://a@127.0.0.1:33418/callback'],
    ['another name of the same host', 'http://localhost:33418/callback'],
    ['https', 'https://127.0.0.1:33418/callback'],
    ['a fragment', 'http://127.0.0.1:33418/callback#x'],
    ['dot segments', 'http://127.0.0.1:33418/x/../callback'],
    ['another host', 'https://evil.example/callback'],
    ['no address', 'callback'],
  ])('AU-12 never redirects to an address with %s', async (_, redirect_uri) => {
    const { status, location, response } = await ask({ redirect_uri })
    expect({ status, location }).toEqual({ status: 400, location: null })
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it('AU-12 never redirects if it names no redirect URI', async () => {
    // RFC 6749 would let one registered address be left out; OAuth 2.1 does not.
    const { status, location } = await ask({ redirect_uri: undefined })
    expect({ status, location }).toEqual({ status: 400, location: null })
  })

  it.each([
    ['an unknown client', 'oac_unknown'],
    ['no client', undefined],
    ['a very long client', 'x'.repeat(5000)],
    ['an address that is no document', 'https://127.0.0.1/client.json'],
    ['a document over http', 'http://client.example/client.json'],
  ])('AU-11 shows a page for %s and does not redirect', async (_, client_id) => {
    const { status, location } = await ask({ client_id })
    expect({ status, location }).toEqual({ status: 400, location: null })
  })

  it.each(['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'])(
    'AU-10 with two of %s is refused',
    async (name) => {
      const sent = asking(clientId, pkce().challenge, { scope: 'datasources:read' })
      const { status, error, sent: back } = await ask({ ...sent, [name]: [String(sent[name]), 'another'] })
      expect([400, 303]).toContain(status)
      if (status === 303) expect(error).toBe('invalid_request')
      expect(back?.get('code') ?? null).toBeNull()
    },
  )

  it('AU-10 without a scope asks for all offered scopes, and never for unknown ones', () => {
    const scopeOf = (asked: string) =>
      normalizeAuthorizeQuery(new URLSearchParams(asked), 'https://s.test/mcp').get('scope')
    expect(scopeOf('client_id=a')).toBe('datasources:read datasources:query functions:call')
    expect(scopeOf('resource=https://s.test/mcp/notifications')).toBe('notifications:read notifications:ack')
    expect(scopeOf('scope=datasources:query+openid+offline_access+root')).toBe('datasources:query')
    expect(scopeOf('scope=notifications:read')).toBe('notifications:read')
    expect(scopeOf('resource=https://other.test/mcp/platform')).toBeNull()
  })

  it('AU-10 asks for those of the named scopes that are offered', async () => {
    const { scope } = await c.connect(person, clientId, { scope: 'datasources:read admin offline_access' })
    expect(scope).toBe('datasources:read')
  })

  it('AU-10 sets cookies that are HttpOnly and Secure', async () => {
    const response = await c.authorize(person.browser, asking(clientId, pkce().challenge))
    const cookies = response.headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(1)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; path=\/oauth\/(?:consent|authorize)\/[\w-]+;.*; samesite=lax; secure; httponly$/)
    }
  })

  it('AU-10 is accepted sixty times a minute from one address, and then refused with a page', async () => {
    // Its clock stands still, so that all of them come in one minute.
    await using still = await startConnector({ on: c.system, clock: testClock(new Date()) })
    const browser = still.signIn.browser()
    const headers = { accept: 'text/html' }
    for (let n = 0; n < 60; n += 1) await browser.go(`${ISSUER}/oauth/authorize`, { headers })
    const refused = await browser.go(`${ISSUER}/oauth/authorize`, { headers })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('AU-10 ignores unknown parameters, as OAuth requires', async () => {
    const { status, location } = await ask({ nonce: 'n', prompt: 'login', response_mode: 'form_post', audience: 'x' })
    expect(status).toBe(303)
    expect(location).toMatch(/^https:\/\/app\.example\.test\/oauth\/consent\//)
  })

  it.each(['http://127.0.0.1', 'http://localhost', 'http://[::1]'])(
    'AU-12 a redirect URI registered as %s without a port matches any port of it and nothing else',
    async (host) => {
      const id = await c.client(`${host}/callback?a=1`)
      const browser = c.signIn.browser()
      const statusOf = async (redirect_uri: string) => (await ask({ client_id: id, redirect_uri }, browser)).status
      const others = ['http://127.0.0.1', 'http://localhost', 'http://[::1]'].filter((other) => other !== host)
      for (const good of [`${host}/callback?a=1`, `${host}:1024/callback?a=1`, `${host}:65535/callback?a=1`]) {
        expect([good, await statusOf(good)]).toEqual([good, 303])
      }
      for (const bad of [
        `${host}:50123/callback`,
        `${host}:50123/callback?a=2`,
        `${host}:50123/Callback?a=1`,
        `${host}:50123/x/../callback?a=1`,
        `${host}:50123/callback?a=1#x`,
        `${host}:65536/callback?a=1`,
        `${host}:050123/callback?a=1`,
        `${host}:80/callback?a=1`,
        `${host}:/callback?a=1`,
        `${host}:50123@evil.example/callback?a=1`,
        `${host}.evil.example:50123/callback?a=1`,
        `${host.replace('http:', 'https:')}:50123/callback?a=1`,
        'http://127.0.0.2:50123/callback?a=1',
        ...others.map((other) => `${other}:50123/callback?a=1`),
      ]) {
        expect([bad, await statusOf(bad)]).toEqual([bad, 400])
      }
    },
  )

  it('AU-12 an https redirect URI is compared with its port, also on loopback', async () => {
    for (const registered of ['https://agent.example/cb', 'https://localhost/cb']) {
      const id = await c.client(registered)
      const browser = c.signIn.browser()
      expect((await ask({ client_id: id, redirect_uri: registered }, browser)).status).toBe(303)
      const other = registered.replace('/cb', ':8443/cb')
      expect((await ask({ client_id: id, redirect_uri: other }, browser)).status).toBe(400)
    }
  })

  it('AU-12 the page of a refused redirect URI says what is compared and which setting exists', async () => {
    const { response } = await ask({ redirect_uri: 'http://127.0.0.1:33419/callback' }, c.signIn.browser())
    const text = await response.text()
    expect(text).toContain('registered without a port')
    expect(text).toContain('SVC_LOOPBACK_ANY_PORT=true')
  })
})

describe('with SVC_LOOPBACK_ANY_PORT=true', () => {
  let c: Connector
  beforeAll(async () => {
    c = await startConnector({ env: { SVC_LOOPBACK_ANY_PORT: 'true' } })
  })
  afterAll(() => c[Symbol.asyncDispose]())

  it('AU-12 a loopback redirect URI registered with a port matches any port and nothing else', async () => {
    const id = await c.client()
    const { browser } = await c.person()
    const statusOf = async (redirect_uri: string) =>
      (await c.authorize(browser, asking(id, pkce().challenge, { redirect_uri }))).status
    expect(await statusOf('http://127.0.0.1:50123/callback')).toBe(303)
    expect(await statusOf('http://127.0.0.1/callback')).toBe(303)
    expect(await statusOf('http://127.0.0.1:50123/other')).toBe(400)
    expect(await statusOf('http://localhost:50123/callback')).toBe(400)
    const web = await c.client('https://agent.example/callback')
    const elsewhere = { redirect_uri: 'https://agent.example:8443/callback' }
    expect((await c.authorize(browser, asking(web, pkce().challenge, elsewhere))).status).toBe(400)
  })
})

describe('the metadata that agents read before they connect', () => {
  let connected: System
  let without: System
  beforeAll(async () => {
    connected = await startSystem({ env: { SVC_REDIRECT_BASE_URL: ISSUER } })
    without = await startSystem({ on: connected, env: { SVC_ACTOR_ASSERTION_SECRET: undefined } })
  })
  afterAll(async () => {
    await without[Symbol.asyncDispose]()
    await connected[Symbol.asyncDispose]()
  })

  it('AU-10 is served at the issuer root', async () => {
    const response = await fetch(`${connected.url}/.well-known/oauth-authorization-server`)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      registration_endpoint: `${ISSUER}/oauth/register`,
      revocation_endpoint: `${ISSUER}/oauth/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      scopes_supported: [
        'datasources:read',
        'datasources:query',
        'functions:call',
        'notifications:read',
        'notifications:ack',
      ],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
  })

  it('AU-10 is 404 where the second secret is not set', async () => {
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/authorize', '/oauth/consent/x']) {
      expect((await fetch(`${without.url}${path}`, { redirect: 'manual' })).status).toBe(404)
    }
    for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke']) {
      expect((await fetch(`${without.url}${path}`, { method: 'POST', body: '{}' })).status).toBe(404)
    }
  })
})
