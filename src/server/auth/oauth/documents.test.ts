import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asking, type Connector, type Person, pkce, REDIRECT, startConnector } from '../../../../test/help/connector.ts'
import { validateToken } from '../../../contract/auth.ts'
import { createClient } from '../../../contract/client.ts'
import { createAssertionSigner } from '../../../lib/actor-assertion.ts'
import { testClock } from '../../../lib/clock.ts'
import { sql } from '../../../lib/db/sql.ts'
import { createSafeFetch } from '../../../lib/net/safe-fetch.ts'
import { fakeConnect, fakeResolve, type Peer, startPeer } from '../../../lib/net/test-internet.ts'

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
    answer = { body: JSON.stringify(document()) }
    peer.received.length = 0
  })
  afterAll(async () => {
    await c[Symbol.asyncDispose]()
    await peer[Symbol.asyncDispose]()
  })

  const ask = (client_id = ID) => c.authorize(person.browser, asking(client_id, pkce().challenge))

  it('AU-11 is asked for at every authorization, once, and needs no row', async () => {
    const tokens = await c.connect(person, ID)
    expect(peer.received).toHaveLength(1)
    expect(decodeJwt(tokens.access_token).client_id).toBe(ID)
    await c.connect(person, ID)
    expect(peer.received).toHaveLength(2)
    expect(await c.system.db.query(sql`select from platform_oauth_clients where client_id = ${ID}`)).toEqual([])
  })

  it('AU-10 shows the host that the document stands at', async () => {
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
  ])('AU-11 is refused when it %s', async (_, answered) => {
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
  ])('AU-11 asks nobody for %s', async (id) => {
    answer = { body: JSON.stringify(document({ client_id: id })) }
    const before = peer.connections
    expect((await ask(id)).status).toBe(400)
    expect(peer.connections).toBe(before)
  })

  it('AU-11 takes of a document what it can use', async () => {
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

  it('AU-11 says so when it changed since the person approved it', async () => {
    await c.connect(person, ID)
    const text = async () => (await person.browser.go(await c.ask(person, asking(ID, pkce().challenge)))).text()
    expect(await text()).not.toContain('has changed since')
    answer = { body: JSON.stringify(document({ client_name: 'Document Agent 2' })) }
    expect(await text()).toContain('has changed since you approved it before')
  })

  it('AU-11 goes on refreshing while its site is away', async () => {
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

  it('AU-14 refreshes nothing for a document that names other redirects', async () => {
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

  it('AU-11 a row that is switched off blocks it: authorizations, refreshes and calls', async () => {
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
