import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listAgents } from '#contract/auth/agents.ts'
import { createOrg } from '#contract/auth/auth.ts'
import { listAudit } from '#contract/auth/members.ts'
import { testClock } from '#lib/clock.ts'
import { asking, type Connector, type Person, pkce, startConnector } from '#test/connector.ts'

describe('an approval that replaces an earlier one', () => {
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

  const register = async (metadata = {}) =>
    (await c.register({ client_name: 'Claude Code', ...metadata })).body.client_id!
  const connect = async (metadata = {}) => {
    const id = await register(metadata)
    return { ...(await c.connect(person, id)), id }
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

  it('AU-14 an agent that copies a name and a loopback redirect URI neither ends nor impersonates the real one', async () => {
    const real = await connect()
    const redirect_uri = 'https://evil.example/cb'
    const evil = await register({ redirect_uris: ['http://127.0.0.1:1/x', redirect_uri] })
    const { text } = await pageOf(evil, { redirect_uri })
    expect(text).toContain('<dd>evil.example</dd>')
    expect(text).not.toContain('already connected')
    expect(text).not.toContain('connected this agent')
    expect(text).not.toContain('that connection ends')
    await c.connect(person, evil, { redirect_uri })
    expect(await isAlive(real)).toBe(true)
  })

  it('AU-14 the consent page warns that another registration merely has the same name', async () => {
    await connect()
    const { text } = await pageOf(await register())
    expect(text).toContain(
      '<p class="warning">You have already connected an agent named Claude Code. Nobody has verified that this is the same agent.',
    )
    expect(text).toContain('that connection ends, also on another computer.')
    expect(text).not.toContain('You have already connected this agent')
  })

  it('AU-14 the consent page says of the same client that it was connected before', async () => {
    const { id } = await connect()
    const { text } = await pageOf(id)
    expect(text).toContain('<p>You have already connected this agent.')
    expect(text).not.toContain('You have already connected an agent named')
  })

  it('AU-14 a grant for one organization does not end the connection to another organization', async () => {
    const first = await connect()
    const client = c.system.client(person.token)
    const second = await client.call(createOrg, { name: 'Second' })
    const id = await register()
    const { verifier, challenge } = pkce()
    const page = await c.ask(person, asking(id, challenge))
    const code = (await c.decide(person, page, { org_id: second.id })).searchParams.get('code')!
    c.system.secrets.push(code)
    const { body } = await c.redeem({ code, verifier, client_id: id })
    expect(await isAlive({ id, refresh_token: body.refresh_token! })).toBe(true)
    expect(await isAlive(first)).toBe(true)
  })

  it('AU-14 an earlier connection ends when the new one gets its first token, and not before', async () => {
    const first = await connect()
    const abandoned = await c.code(person, await register())
    expect(await isAlive(first)).toBe(true)
    const code = await c.code(person, await register())
    expect(await isAlive(first)).toBe(true)
    // An approval that never got a token ends with the next approval.
    expect((await c.redeem(abandoned)).body.error).toBe('invalid_grant')
    expect((await c.redeem(code)).status).toBe(200)
    expect(await isAlive(first)).toBe(false)
    expect((await c.system.client(person.token).call(listAgents, {})).items).toHaveLength(1)
    const { items } = await c.system.client(person.token).call(listAudit, { org_id: person.org_id })
    expect(items.slice(0, 4).map(({ action }) => action)).toEqual([
      'agent.replaced',
      'agent.connected',
      'agent.replaced',
      'agent.connected',
    ])
  })
})
