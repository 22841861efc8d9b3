import { randomInt } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { validateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import { createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import { sql } from '#lib/db/sql.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
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
import { fakeConnect, fakeResolve, type Peer, startPeer } from '#test/outside/internet.ts'

const ID = 'https://agent.example/client.json'
const MINUTE = 60_000

describe('a client with a metadata document', () => {
  const clock = testClock(new Date())
  let c: Connector
  let peer: Peer
  let person: Person
  let answer: { status?: number; headers?: Record<string, string>; body: string; hang?: boolean }
  const document = (over: object = {}) => ({
    client_id: ID,
    client_name: 'Document Agent',
    redirect_uris: [REDIRECT],
    ...over,
  })

  beforeAll(async () => {
    peer = await startPeer((_, response) => {
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
      if (answer.hang) response.write(answer.body.slice(0, 5))
      else response.end(answer.body)
    })
    const names = {
      'agent.example': [['93.184.216.34']],
      'rebound.example': [['127.0.0.1']],
      'inside.example': [['10.0.0.7']],
      'mapped.example': [['::ffff:127.0.0.1']],
      'gone.example': [],
    }
    const safeFetch = createSafeFetch({ resolve: fakeResolve(names), connect: fakeConnect({ '93.184.216.34': peer }) })
    c = await startConnector({ safeFetch, clock })
    person = await c.person()
  })
  beforeEach(() => {
    // Authorizations are limited by the minute.
    clock.advance(MINUTE)
    answer = { body: JSON.stringify(document()) }
    peer.received.length = 0
  })
  afterAll(async () => {
    await c[Symbol.asyncDispose]()
    await peer[Symbol.asyncDispose]()
  })

  const ask = (client_id = ID) => c.authorize(person.browser, asking(client_id, pkce().challenge))

  it('AU-11 has its document fetched once at every authorization, and needs no row', async () => {
    const tokens = await c.connect(person, ID)
    expect(peer.received).toHaveLength(1)
    expect(decodeJwt(tokens.access_token).client_id).toBe(ID)
    await c.connect(person, ID)
    expect(peer.received).toHaveLength(2)
    expect(await c.system.db.query(sql`select from platform_oauth_clients where client_id = ${ID}`)).toEqual([])
  })

  it('AU-10 is shown with the host of its document', async () => {
    const page = await (await person.browser.go(await c.ask(person, asking(ID, pkce().challenge)))).text()
    expect(page).toContain('Connect Document Agent?')
    expect(page).toContain('<dd>agent.example</dd>')
  })

  it.each([
    ['is about another client', { body: JSON.stringify(document({ client_id: `${ID}?x` })) }],
    ['has no name', { body: JSON.stringify(document({ client_name: undefined })) }],
    ['has no redirects', { body: JSON.stringify(document({ redirect_uris: undefined })) }],
    ['has no redirect that can be used', { body: JSON.stringify(document({ redirect_uris: ['agent://x'] })) }],
    [
      'has other redirects than the one asked for',
      { body: JSON.stringify(document({ redirect_uris: ['https://a.example/'] })) },
    ],
    ['holds a secret', { body: JSON.stringify(document({ client_secret: 'x' })) }],
    [
      'wants to sign in with a secret',
      { body: JSON.stringify(document({ token_endpoint_auth_method: 'client_secret_post' })) },
    ],
    ['is no JSON', { body: '<html>' }],
    ['is a list', { body: '[]' }],
    ['is longer than 5 KB', { body: JSON.stringify(document({ note: 'x'.repeat(6000) })) }],
    ['is not there', { status: 404, body: '{}' }],
    ['is elsewhere', { status: 302, headers: { location: 'https://agent.example/other.json' }, body: '' }],
    ['never ends', { body: JSON.stringify(document()), hang: true }],
  ])('AU-11 is refused when its document %s', async (_, answered) => {
    answer = answered
    const response = await ask()
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
    expect(peer.received).toHaveLength(1)
  })

  it.each([
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://[::ffff:127.0.0.1]/client.json',
    'https://2130706433/client.json',
    'https://0x7f.1/client.json',
    'https://169.254.169.254/client.json',
    'https://localhost/client.json',
    'https://rebound.example/client.json',
    'https://inside.example/client.json',
    'https://mapped.example/client.json',
    'https://gone.example/client.json',
    'http://agent.example/client.json',
    'https://agent.example',
    'https://agent.example/',
    'https://agent.example/a/../client.json',
    'https://agent.example/%2e%2e/client.json',
    'https://agent.example/client.json#x',
    'https://a@agent.example/client.json',
    'https://AGENT.example/client.json',
    'https://agent.example:22/client.json',
  ])('AU-11 causes no fetch for %s', async (id) => {
    answer = { body: JSON.stringify(document({ client_id: id })) }
    const before = peer.connections
    expect((await ask(id)).status).toBe(400)
    expect(peer.connections).toBe(before)
  })

  it('AU-11 is accepted with the usable part of its document', async () => {
    answer = {
      body: JSON.stringify(
        document({
          redirect_uris: ['agent://x', REDIRECT],
          grant_types: ['authorization_code', 'urn:other'],
          jwks_uri: 'x',
        }),
      ),
    }
    expect((await ask()).status).toBe(303)
  })

  // As Claude Code and Codex describe themselves: loopback redirects without a port, and a free port at each sign-in.
  it.each([
    ['Claude Code', ['http://localhost/callback', 'http://127.0.0.1/callback'], 'http://localhost'],
    ['Codex', ['http://127.0.0.1/callback', 'http://localhost/callback'], 'http://127.0.0.1'],
    ['an agent on IPv6', ['http://[::1]/callback'], 'http://[::1]'],
  ])('AU-12 %s connects on default settings from a random port, twice', async (name, redirect_uris, host) => {
    answer = {
      body: JSON.stringify(document({ client_name: name, redirect_uris, token_endpoint_auth_method: 'none' })),
    }
    for (const port of [randomInt(1024, 65_536), randomInt(1024, 65_536)]) {
      const redirect_uri = `${host}:${port}/callback`
      const { verifier, challenge } = pkce()
      const page = await c.ask(person, asking(ID, challenge, { redirect_uri }))
      const shown = await (await person.browser.go(page)).text()
      expect(shown).toContain(`<dd>${new URL(redirect_uri).host}</dd>`)
      expect(shown).toContain('on this computer')
      const back = await c.decide(person, page)
      expect(back.href.startsWith(`${redirect_uri}?`)).toBe(true)
      expect(back.searchParams.get('state')).toBe('state-of-the-client')
      const code = { code: back.searchParams.get('code')!, verifier, client_id: ID }
      const registered = await c.redeem(code, { redirect_uri: redirect_uris[0]! })
      expect(registered.body.error).toBe('invalid_grant')
      const again = await c.connect(person, ID, { redirect_uri })
      expect(decodeJwt(again.access_token)).toMatchObject({ client_id: ID, aud: PLATFORM, sub: person.user_id })
      expect((await c.refresh(ID, again.refresh_token)).status).toBe(200)
    }
  })

  it('AU-12 a redirect URI with a port in a document matches only that port, and every other part exactly', async () => {
    const redirect_uris = ['http://localhost:4001/callback', 'http://127.0.0.1/callback', 'https://agent.example/cb']
    answer = { body: JSON.stringify(document({ redirect_uris })) }
    const statusOf = async (redirect_uri: string) =>
      (await c.authorize(person.browser, asking(ID, pkce().challenge, { redirect_uri }))).status
    for (const good of [
      'http://localhost:4001/callback',
      'http://127.0.0.1:4002/callback',
      'http://127.0.0.1/callback',
    ]) {
      expect([good, await statusOf(good)]).toEqual([good, 303])
    }
    for (const bad of [
      'http://localhost:4002/callback',
      'http://localhost/callback',
      'http://127.0.0.1:4002/Callback',
      'http://127.0.0.1:4002/callback/',
      'http://127.0.0.1:4002/callback?x=1',
      'http://[::1]:4002/callback',
      'https://agent.example:4002/cb',
      'https://agent.example:443/cb',
    ]) {
      expect([bad, await statusOf(bad)]).toEqual([bad, 400])
    }
  })

  it('AU-11 a document that cannot be fetched is refused with a page that says what to set', async () => {
    const response = await ask('https://gone.example/client.json')
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('SVC_CLIENT_DOCUMENTS=off')
  })

  it('AU-11 shows on the consent page that its document changed since the last approval', async () => {
    await c.connect(person, ID)
    const text = async () => (await person.browser.go(await c.ask(person, asking(ID, pkce().challenge)))).text()
    expect(await text()).not.toContain('has changed since')
    answer = { body: JSON.stringify(document({ client_name: 'Document Agent 2' })) }
    expect(await text()).toContain('has changed since you last approved it')
  })

  it('AU-11 can still refresh while its site is unreachable', async () => {
    const tokens = await c.connect(person, ID)
    clock.advance(11 * MINUTE)
    answer = { status: 500, body: '' }
    const next = await c.refresh(ID, tokens.refresh_token)
    expect(next.status).toBe(200)
    clock.advance(11 * MINUTE)
    answer = { status: 404, body: '' }
    const removed = await c.refresh(ID, next.body.refresh_token!)
    expect({ status: removed.status, error: removed.body.error }).toEqual({ status: 400, error: 'invalid_client' })
  })

  it.each([
    ['is away', 500],
    ['has removed it', 404],
  ])(
    'AU-11 has its document fetched at most once a minute while its site %s, however many token requests come',
    async (_, status) => {
      const tokens = await c.connect(person, ID)
      clock.advance(11 * MINUTE)
      answer = { status, body: '' }
      peer.received.length = 0
      await c.refresh(ID, tokens.refresh_token)
      for (let n = 0; n < 5; n++) await c.refresh(ID, 'made up')
      expect(peer.received).toHaveLength(1)
      clock.advance(MINUTE)
      await c.refresh(ID, 'made up')
      expect(peer.received).toHaveLength(2)
    },
  )

  it('AU-14 cannot refresh once its document names other redirect URIs', async () => {
    const tokens = await c.connect(person, ID)
    const next = await c.refresh(ID, tokens.refresh_token)
    expect(next.status).toBe(200)
    clock.advance(11 * MINUTE)
    answer = { body: JSON.stringify(document({ client_name: 'New name only' })) }
    const renamed = await c.refresh(ID, next.body.refresh_token!)
    expect(renamed.status).toBe(200)
    clock.advance(11 * MINUTE)
    answer = { body: JSON.stringify(document({ redirect_uris: [REDIRECT, 'https://evil.example/cb'] })) }
    const refused = await c.refresh(ID, renamed.body.refresh_token!)
    expect({ status: refused.status, error: refused.body.error }).toEqual({ status: 400, error: 'invalid_grant' })
  })

  it('AU-11 is blocked by a disabled row: authorizations, refreshes and calls', async () => {
    const tokens = await c.connect(person, ID)
    const { gid: grantId } = decodeJwt<{ gid: string }>(tokens.access_token)
    const call = async () => {
      const sign = createAssertionSigner(c.system.config.secrets.actorAssertionSecret!, clock)
      const claims = { grantId, userId: person.user_id, clientId: ID, scopes: ['datasources:read'] }
      const token = sign(claims, 'api-gateway')
      return createClient({ baseUrl: c.system.url, fetch }).call(validateToken, { token, audience: 'api-gateway' })
    }
    expect((await call()).principal.kind).toBe('agent')
    await c.system.db.query(sql`insert into platform_oauth_clients (client_id, is_active) values (${ID}, false)`)
    await expect(call()).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    peer.received.length = 0
    expect((await ask()).status).toBe(400)
    expect((await c.refresh(ID, tokens.refresh_token)).status).toBe(401)
    expect(peer.received).toHaveLength(0)
    await c.system.db.query(sql`delete from platform_oauth_clients where client_id = ${ID}`)
    expect((await ask()).status).toBe(303)
  })
})

describe('with SVC_CLIENT_DOCUMENTS=off', () => {
  let c: Connector
  let peer: Peer
  beforeAll(async () => {
    peer = await startPeer((_, response) => response.writeHead(500).end())
    const safeFetch = createSafeFetch({
      resolve: fakeResolve({ 'agent.example': [['93.184.216.34']] }),
      connect: fakeConnect({ '93.184.216.34': peer }),
    })
    c = await startConnector({ safeFetch, env: { SVC_CLIENT_DOCUMENTS: 'off' } })
  })
  afterAll(async () => {
    await c?.[Symbol.asyncDispose]()
    await peer?.[Symbol.asyncDispose]()
  })

  it('AU-11 documents are not advertised, and agents can still register themselves', async () => {
    const metadata = await fetch(`${c.system.url}/.well-known/oauth-authorization-server`)
    const body = (await metadata.json()) as Record<string, unknown>
    expect(Object.keys(body)).not.toContain('client_id_metadata_document_supported')
    expect(body.registration_endpoint).toBe(`${ISSUER}/oauth/register`)
    expect((await c.connect(await c.person(), await c.client())).access_token).toBeTypeOf('string')
  })

  it('AU-11 a client with a document is refused with a page that names the setting, and nothing is fetched', async () => {
    const person = await c.person()
    const response = await c.authorize(person.browser, asking(ID, pkce().challenge))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('SVC_CLIENT_DOCUMENTS=off')
    const { status, body } = await c.refresh(ID, 'none')
    expect([status, body.error]).toEqual([400, 'invalid_client'])
    expect(peer.connections).toBe(0)
  })
})
