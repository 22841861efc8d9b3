import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  disconnectAgent,
  endAgentConnection,
  listAgents,
  revokeAgent,
  revokeAgentConnection,
} from '#contract/auth/agents.ts'
import { createOrg } from '#contract/auth/auth.ts'
import { listAudit } from '#contract/auth/members.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import {
  asking,
  type Connector,
  ISSUER,
  type Person,
  pkce,
  startConnector,
  startReplica,
  type Tokens,
} from '#test/agents/connector.ts'

const HOUR = 3_600_000

describe('connections of one person to an agent', () => {
  const clock = testClock(new Date())
  let c: Connector
  let person: Person
  beforeAll(async () => {
    c = await startConnector({ clock })
  })
  beforeEach(async () => {
    clock.advance(60_000)
    person = await c.person()
  })
  afterAll(() => c?.[Symbol.asyncDispose]())

  type Connection = Tokens & { id: string }
  const register = async (metadata = {}, address?: string) =>
    (await c.register({ client_name: 'Claude Code', ...metadata }, address)).body.client_id!
  const connect = async (metadata = {}, over = {}): Promise<Connection> => {
    const id = await register(metadata)
    return { ...(await c.connect(person, id, over)), id }
  }
  const isAlive = async (tokens: { id: string; refresh_token: string }) => {
    const { status, body } = await c.refresh(tokens.id, tokens.refresh_token)
    if (status === 200) tokens.refresh_token = body.refresh_token!
    return status === 200
  }
  const pageOf = async (id: string, over = {}) => {
    const page = await c.ask(person, asking(id, pkce().challenge, over))
    return { page, text: await (await person.browser.go(page)).text() }
  }
  const grantOf = ({ access_token }: Tokens) => decodeJwt<{ gid: string }>(access_token).gid
  const list = async () => (await c.system.client(person.token).call(listAgents, {})).items

  it('AU-19 two computers behind one address are two connections, and one switched off for a weekend works on Monday', async () => {
    const address = '203.0.113.7'
    const [laptop, desk] = [await register({}, address), await register({}, address)]
    const first = { ...(await c.connect(person, laptop)), id: laptop }
    const second = { ...(await c.connect(person, desk)), id: desk }
    for (let hour = 0; hour < 64; hour += 1) {
      clock.advance(HOUR)
      expect(await isAlive(second)).toBe(true)
    }
    expect(await isAlive(first)).toBe(true)
    expect(await list()).toHaveLength(2)
  })

  it('AU-19 the same registration, approved again, is another connection', async () => {
    const first = await connect()
    const second = { ...(await c.connect(person, first.id)), id: first.id }
    expect([await isAlive(first), await isAlive(second)]).toEqual([true, true])
    expect(grantOf(first)).not.toBe(grantOf(second))
  })

  it('AU-19 the list says when, from where and with what each was connected', async () => {
    const id = await register()
    const page = await c.ask(person, asking(id, pkce().challenge))
    const text = await (await person.browser.go(page)).text()
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)![1]!
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    }
    const form = new URLSearchParams({ csrf, org_id: person.org_id, decision: 'approve', scope: 'datasources:read' })
    await person.browser.go(page, { headers, text: form.toString() })
    const [connection] = await list()
    expect(connection).toMatchObject({ connected_with: 'Firefox on Linux', created_at: clock.now().toISOString() })
    expect(connection!.connected_from).toMatch(/^[\d.]+$/)
  })

  it('AU-19 the consent page lists living connections and ends one of them', async () => {
    const first = await connect()
    const second = await connect()
    const { page, text } = await pageOf(await register())
    expect(text.match(/name="end"/g)).toHaveLength(2)
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)![1]!
    const ended = await person.browser.go(page, { form: { csrf, end: grantOf(first) } })
    expect([ended.status, ended.headers.get('location')]).toEqual([303, new URL(page).pathname])
    expect([await isAlive(first), await isAlive(second)]).toEqual([false, true])
    expect((await (await person.browser.go(page)).text()).match(/name="end"/g)).toHaveLength(1)
  })

  it('AU-19 the consent page ends no connection of another person or without its form', async () => {
    const colleague = await c.person('member', person.org_id)
    const id = await register()
    const theirs = { ...(await c.connect(colleague, id)), id }
    await connect()
    const { page, text } = await pageOf(await register())
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)![1]!
    await person.browser.go(page, { form: { csrf, end: grantOf(theirs) } })
    expect(await isAlive(theirs)).toBe(true)
    const [own] = await list()
    const forged = await person.browser.go(page, { form: { csrf: 'forged', end: own!.id } })
    expect(forged.status).toBe(403)
    expect(await list()).toHaveLength(1)
  })

  it('AU-19 the eleventh connection ends one that its own computer replaced, before one of a computer that was off', async () => {
    const connections: Connection[] = []
    for (let n = 0; n < 10; n += 1) {
      clock.advance(60_000)
      connections.push(await connect())
    }
    const [off, replaced, current] = [connections[0]!, connections[3]!, connections[5]!]
    await c.system.db.query(sql`
      update platform_access_grants set connected_with = 'Firefox on Linux'
      where id = any(${[replaced, current].map(grantOf)})`)
    await connect()
    expect([await isAlive(off), await isAlive(replaced), await isAlive(current)]).toEqual([true, false, true])
  })

  it('AU-19 the eleventh connection ends the one unused for longest, and the page says which', async () => {
    const connections: Connection[] = []
    for (let n = 0; n < 10; n += 1) {
      clock.advance(60_000)
      connections.push(await connect())
    }
    const before = await list()
    const { text } = await pageOf(await register())
    expect(text.match(/It ends if you approve/g)).toHaveLength(1)
    const entry = text.split('<li>').find((one) => one.includes('It ends if you approve'))
    expect(entry).toContain(grantOf(connections[0]!))
    // An approval that is never completed ends nothing.
    await c.code(person, await register())
    expect(await isAlive(connections[0]!)).toBe(true)
    const eleventh = await connect()
    const alive = []
    for (const one of [...connections, eleventh]) alive.push(await isAlive(one))
    expect(alive).toEqual([false, ...Array<boolean>(10).fill(true)])
    expect(before.map(({ id }) => id)).toContain(grantOf(connections[0]!))
    const { items } = await c.system.client(person.token).call(listAudit, { org_id: person.org_id })
    expect(items.find(({ action }) => action === 'agent.replaced')?.target).toBe(grantOf(connections[0]!))
  })

  it('AU-19 disconnecting an agent ends all its connections in the organization, and no other agent', async () => {
    const [first, second] = [await connect(), await connect()]
    const other = await connect({ client_name: 'Other Agent' })
    const client = c.system.client(person.token)
    const elsewhere = await client.call(createOrg, { name: 'Second' })
    const id = await register()
    const { verifier, challenge } = pkce()
    const page = await c.ask(person, asking(id, challenge))
    const code = (await c.decide(person, page, { org_id: elsewhere.id })).searchParams.get('code')!
    c.system.secrets.push(code)
    const { body } = await c.redeem({ code, verifier, client_id: id })
    const there = { id, refresh_token: body.refresh_token! }
    expect(await client.call(disconnectAgent, { id: grantOf(first) })).toMatchObject({ connections: 2 })
    const alive = []
    for (const one of [first, second, other, there]) alive.push(await isAlive(one))
    expect(alive).toEqual([false, false, true, true])
    await expect(client.call(disconnectAgent, { id: grantOf(first) })).rejects.toMatchObject({ status: 404 })
  })

  it('AU-19 one connection can be ended alone, by its person and by an admin', async () => {
    const [first, second, third] = [await connect(), await connect(), await connect()]
    const client = c.system.client(person.token)
    await client.call(endAgentConnection, { id: grantOf(first) })
    await client.call(revokeAgentConnection, { org_id: person.org_id, id: grantOf(second) })
    expect([await isAlive(first), await isAlive(second), await isAlive(third)]).toEqual([false, false, true])
    const stranger = c.system.client((await c.person()).token)
    await expect(stranger.call(endAgentConnection, { id: grantOf(third) })).rejects.toMatchObject({ status: 404 })
    expect(await isAlive(third)).toBe(true)
  })

  it('AU-19 an admin disconnects the agent of one member, not that of another', async () => {
    const colleague = await c.person('member', person.org_id)
    const id = await register()
    const theirs = { ...(await c.connect(colleague, id)), id }
    const [first, second] = [await connect(), await connect()]
    const client = c.system.client(person.token)
    await client.call(revokeAgent, { org_id: person.org_id, id: grantOf(first) })
    expect([await isAlive(first), await isAlive(second), await isAlive(theirs)]).toEqual([false, false, true])
  })

  it('AU-19 an agent that copies a name and a loopback redirect URI is not listed as the real one', async () => {
    const real = await connect()
    const redirect_uri = 'https://evil.example/cb'
    const evil = await register({ redirect_uris: ['http://127.0.0.1:1/x', redirect_uri] })
    const { text } = await pageOf(evil, { redirect_uri })
    expect(text).toContain('<dd>evil.example</dd>')
    expect(text).not.toContain('already connected')
    await c.connect(person, evil, { redirect_uri })
    expect(await isAlive(real)).toBe(true)
  })

  it('AU-19 the consent page warns that another registration merely has the same name', async () => {
    const { id } = await connect()
    expect((await pageOf(await register())).text).toContain(
      '<p class="warning">You have already connected an agent named Claude Code. Nobody has verified that this is the same agent.',
    )
    expect((await pageOf(id)).text).toContain('<p>You have already connected this agent.')
  })

  it('AU-19 an approval that never got a token ends with a later one, after two minutes', async () => {
    const abandoned = await c.code(person, await register())
    const parallel = await c.code(person, await register())
    expect((await c.redeem(parallel)).status).toBe(200)
    expect(await list()).toHaveLength(2)
    clock.advance(121_000)
    await connect()
    expect(await list()).toHaveLength(2)
    expect((await c.redeem(abandoned)).body.error).toBe('invalid_grant')
  })

  it('AU-11 approvals without a token count too, so that one person cannot hold all places of an https origin', async () => {
    const redirect_uri = 'https://agent.example/cb'
    const statuses = []
    for (let n = 0; n < 3; n += 1) {
      const { page, text } = await pageOf(await register({ redirect_uris: [redirect_uri] }), { redirect_uri })
      const csrf = /name="csrf" value="([^"]+)"/.exec(text)![1]!
      const form = { csrf, org_id: person.org_id, decision: 'approve', scope: 'datasources:read' }
      statuses.push((await person.browser.go(page, { form })).status)
    }
    expect(statuses).toEqual([200, 200, 400])
  })

  it('AU-12 a redirect with a scheme of its own is accepted letter by letter, and the page names the program', async () => {
    const redirect_uri = 'cursor://anysphere.cursor-mcp/oauth/callback'
    const id = await register({ client_name: 'Cursor', redirect_uris: [redirect_uri] })
    const { page, text } = await pageOf(id, { redirect_uri })
    expect(text).toContain('the program on this computer that is installed for <code>cursor:</code> addresses')
    expect(text).toContain('<dd>cursor://anysphere.cursor-mcp</dd>')
    const back = await c.decide(person, page)
    expect(back.href).toMatch(/^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=/)
    expect(back.searchParams.get('iss')).toBe(ISSUER)
    const tokens = { ...(await c.connect(person, id, { redirect_uri })), id }
    expect(await isAlive(tokens)).toBe(true)
    expect((await list())[0]).toMatchObject({ redirect_host: 'cursor://anysphere.cursor-mcp' })
  })

  it('AU-12 a redirect with a scheme that is a domain in reverse needs no host', async () => {
    const redirect_uri = 'com.example.app:/oauth/callback'
    await using other = await startReplica(c, { env: { SVC_REDIRECT_SCHEMES: redirect_uri } })
    const owner = await other.person()
    const id = await other.client(redirect_uri)
    const page = await other.ask(owner, asking(id, pkce().challenge, { redirect_uri }))
    const text = await (await owner.browser.go(page)).text()
    expect(text).toContain('installed for <code>com.example.app:</code> addresses')
    expect(text).toContain('<dd>com.example.app:</dd>')
    expect((await other.decide(owner, page)).href).toMatch(/^com\.example\.app:\/oauth\/callback\?code=/)
    const tokens = await other.connect(owner, id, { redirect_uri })
    expect((await other.refresh(id, tokens.refresh_token)).status).toBe(200)
    const { items } = await other.system.client(owner.token).call(listAgents, {})
    expect(items[0]).toMatchObject({ redirect_host: 'com.example.app:' })
    expect((await other.register({ redirect_uris: ['com.example.app:/other'] })).status).toBe(400)
  })

  it.each([
    'cursor://anysphere.cursor-mcp/oauth/callback2',
    'cursor://anysphere.cursor-mcp/oauth/callback/',
    'cursor://anysphere.cursor-mcp/OAuth/callback',
    'CURSOR://anysphere.cursor-mcp/oauth/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback?x=1',
    'cursor://anysphere.cursor-mcp/oauth/callback#x',
    'cursor://evil.example/oauth/callback',
    'cursor2://anysphere.cursor-mcp/oauth/callback',
    'vscode://anysphere.cursor-mcp/oauth/callback',
    'javascript:alert(1)',
    'data:text/html,x',
  ])('AU-12 the redirect %s is refused', async (uri) => {
    expect((await c.register({ redirect_uris: [uri] })).body.error).toBe('invalid_redirect_uri')
    const id = await register({
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://127.0.0.1:7/cb'],
    })
    const response = await c.authorize(person.browser, asking(id, pkce().challenge, { redirect_uri: uri }))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })

  it('AU-12 a client with its own scheme does not get other ports of its loopback address', async () => {
    const redirect_uris = ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://127.0.0.1:7/cb']
    const id = await register({ redirect_uris })
    const asked = asking(id, pkce().challenge, { redirect_uri: 'http://127.0.0.1:8/cb' })
    expect((await c.authorize(person.browser, asked)).status).toBe(400)
    expect((await pageOf(id, { redirect_uri: 'http://127.0.0.1:7/cb' })).text).toContain('Connect Claude Code?')
  })

  it('AU-12 seven colleagues behind one address connect the same agent with its own scheme', async () => {
    const redirect_uri = 'cursor://anysphere.cursor-mcp/oauth/callback'
    const address = '203.0.113.80'
    const tokens: { id: string; refresh_token: string }[] = []
    for (let n = 0; n < 7; n += 1) {
      const id = await register({ client_name: 'Cursor', redirect_uris: [redirect_uri] }, address)
      tokens.push({ ...(await c.connect(await c.person(), id, { redirect_uri })), id })
    }
    for (const one of tokens) expect(await isAlive(one)).toBe(true)
  })
})
