import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { asking, type Connector, pkce, randomAddress, startConnector } from '#test/agents/connector.ts'

const DAY = 24 * 3_600_000

describe('registration', () => {
  const clock = testClock(new Date())
  let c: Connector
  beforeAll(async () => {
    c = await startConnector({ clock, env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
  })
  afterAll(() => c[Symbol.asyncDispose]())

  it('AU-11 returns the registered metadata, without a secret', async () => {
    const { status, body, headers } = await c.register({ client_uri: 'https://agent.example/' })
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      client_id: expect.stringMatching(/^oac_/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Test Agent',
      client_uri: 'https://agent.example/',
      redirect_uris: ['http://127.0.0.1:33418/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  })

  it.each([
    ['http elsewhere', ['http://agent.example/cb']],
    ['another loopback address', ['http://127.0.0.2/cb']],
    ['a number for an address', ['http://2130706433@evil.example/cb']],
    ['javascript', ['javascript:alert(1)']],
    ['data', ['data:text/html,x']],
    ['a scheme of its own', ['agent://callback']],
    ['a fragment', ['https://agent.example/cb#x']],
    ['a wildcard host', ['https://*.agent.example/cb']],
    ['a wildcard path', ['https://agent.example/*']],
    ['a user', ['https://a:b@agent.example/cb']],
    ['a backslash', ['https://agent.example\\@evil.example/cb']],
    ['a space', ['https://agent.example/c b']],
    ['a short address', ['http://127.1/cb']],
    ['an address as a number', ['http://2130706433/cb']],
    ['an address in hex', ['http://0x7f.0.0.1:80/cb']],
    ['capitals', ['http://LOCALHOST/cb']],
    ['letters that look like others', ['http://ⓛocalhost/cb']],
    ['no slashes', ['http:127.0.0.1/cb']],
    ['no slashes over https', ['https:agent.example/cb']],
    ['an empty user', ['https://@agent.example/cb']],
    ['a host that writes policy', ['https://x;sandbox/cb']],
    ['a host that lists policy', ['https://x,sandbox/cb']],
    ['no address', ['callback']],
    ['none', []],
    ['no list', 'https://agent.example/cb'],
    ['numbers', [1]],
    ['more than ten', Array.from({ length: 11 }, (_, n) => `https://agent.example/${n}`)],
    ['one good and one bad', ['https://agent.example/cb', 'http://agent.example/cb']],
  ])('AU-12 refuses redirect URIs with %s', async (_, redirect_uris) => {
    const { status, body } = await c.register({ redirect_uris })
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_redirect_uri' })
  })

  it('AU-12 the refusal of a registration without redirect URIs says how an agent that was connected goes on', async () => {
    const { body } = await c.register({ redirect_uris: [] })
    expect(body.error_description).toBe(
      'redirect_uris: must have at least one entry. If the agent was connected before, log in again.',
    )
  })

  it.each([
    ['a secret', { client_secret: 'x' }],
    ['a way to sign in', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['the implicit grant', { grant_types: ['implicit'] }],
    ['tokens in answers', { response_types: ['token'] }],
    ['a long name', { client_name: 'x'.repeat(201) }],
    ['a name that is none', { client_name: 7 }],
  ])('AU-11 refuses %s', async (_, over) => {
    const { status, body } = await c.register(over)
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_client_metadata' })
  })

  it.each([
    ['no JSON', '{', 400],
    ['a list', '[]', 400],
    ['a megabyte', JSON.stringify({ client_name: 'x'.repeat(1024 * 1024) }), 413],
  ])('AU-11 refuses %s as a body', async (_, body, status) => {
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${c.system.url}/oauth/register`, { method: 'POST', body, headers })).status).toBe(status)
  })

  it('AU-11 lasts 30 days, and its grants end with it', async () => {
    const person = await c.person()
    const id = await c.client()
    const { refresh_token } = await c.connect(person, id)
    clock.advance(30 * DAY - 1000)
    expect((await c.authorize(person.browser, asking(id, pkce().challenge))).status).toBe(303)
    clock.advance(1000)
    expect((await c.authorize(person.browser, asking(id, pkce().challenge))).status).toBe(400)
    expect((await c.refresh(id, refresh_token)).status).toBe(401)
  })

  it('AU-11 is accepted twenty times a minute from one address, counting refused ones', async () => {
    const address = randomAddress()
    for (let n = 0; n < 20; n += 1) expect((await c.register({ redirect_uris: [] }, address)).status).toBe(400)
    expect((await c.register({}, address)).status).toBe(429)
    expect((await c.register({}, randomAddress())).status).toBe(201)
  })

  it('AU-11 is not needed for a client the operator inserts, which never expires and can be disabled at once', async () => {
    const person = await c.person()
    await c.system.db.query(sql`
      insert into platform_oauth_clients (client_id, client_name, redirect_uris)
      values ('desk-agent', 'Desk Agent', '{http://127.0.0.1:33418/callback}')`)
    clock.advance(400 * DAY)
    const again = await c.person()
    expect((await c.authorize(again.browser, asking('desk-agent', pkce().challenge))).status).toBe(303)
    await c.system.db.query(sql`update platform_oauth_clients set is_active = false where client_id = 'desk-agent'`)
    expect((await c.authorize(person.browser, asking('desk-agent', pkce().challenge))).status).toBe(400)
  })
})
