import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAgents, listOrgAgents, revokeAgent } from '#contract/auth/agents.ts'
import { listAudit } from '#contract/auth/members.ts'
import { sql } from '#lib/db/sql.ts'
import { asking, type Connector, ISSUER, type Person, pkce, REDIRECT, startConnector } from '#test/agents/connector.ts'

describe('the consent page', () => {
  let c: Connector
  let person: Person
  let clientId: string
  beforeAll(async () => {
    c = await startConnector()
    person = await c.person()
    clientId = await c.client()
  })
  afterAll(() => c[Symbol.asyncDispose]())

  const newPage = (who = person, over = {}) => c.ask(who, asking(clientId, pkce().challenge, over))
  const csrfOf = (page: string) => /name="csrf" value="([^"]+)"/.exec(page)![1]!
  const grants = async () => {
    const [row] = await c.system.db.query<{ n: number }>(sql`select count(*)::int as n from platform_access_grants`)
    return row!.n
  }

  it('AU-10 names the client, the host it redirects to, the user and the scopes', async () => {
    const response = await person.browser.go(await newPage())
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toContain('Connect Test Agent?')
    expect(text).toContain('<dd>127.0.0.1:33418</dd>')
    expect(text).toContain(person.email)
    expect(text).toContain('This agent runs on this computer.')
    expect(text).toContain('See which data sources you may ask')
    expect(text).toContain('Ask questions, within your own access')
    expect(text).toContain(`<option value="${person.org_id}" selected>`)
    expect(text).not.toContain('<script')
  })

  it('AU-10 cannot be framed, runs no script, and submits its form only to itself', async () => {
    const { headers } = await person.browser.go(await newPage())
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self';")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('AU-10 shows the client’s name as text, whatever characters it has', async () => {
    const client_name = '<img src=x onerror=alert(1)>"\'\u202eAdmin\u0000'
    const { body } = await c.register({ client_name })
    const text = await (await person.browser.go(await c.ask(person, asking(body.client_id!, pkce().challenge)))).text()
    expect(text).not.toContain('<img')
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(text).not.toContain('\u202e')
  })

  it('AU-10 warns of a program on this computer only for a loopback redirect URI', async () => {
    const id = await c.client('https://agent.example/callback')
    const page = await c.ask(person, asking(id, pkce().challenge, { redirect_uri: 'https://agent.example/callback' }))
    const text = await (await person.browser.go(page)).text()
    expect(text).toContain('<dd>agent.example</dd>')
    expect(text).not.toContain('this computer')
  })

  it('AU-10 sends users who are not signed in to sign in, and back here', async () => {
    const browser = c.signIn.browser()
    const asked = await c.authorize(browser, asking(clientId, pkce().challenge))
    const page = asked.headers.get('location')!.slice(ISSUER.length)
    const response = await browser.go(`${ISSUER}${page}`)
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe(`/auth/login?${new URLSearchParams({ return_to: page })}`)
  })

  it('AU-10 accepts an approval once', async () => {
    const page = await newPage()
    const back = await c.decide(person, page)
    expect(back.origin + back.pathname).toBe(REDIRECT)
    expect(back.searchParams.get('iss')).toBe(ISSUER)
    expect(back.searchParams.get('state')).toBe('state-of-the-client')
    expect((await person.browser.go(page)).status).toBe(400)
  })

  it('AU-10 tells the agent that the person denied', async () => {
    const before = await grants()
    const back = await c.decide(person, await newPage(), { decision: 'deny' })
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'the person denied the request',
      state: 'state-of-the-client',
      iss: ISSUER,
    })
    expect(await grants()).toBe(before)
  })

  const send = (
    page: string,
    values: Record<string, string>,
    who = person,
    site: 'same-origin' | 'cross-site' = 'same-origin',
  ) =>
    who.browser.go(page, {
      form: { org_id: person.org_id, decision: 'approve', scope: 'datasources:read', ...values },
      site,
    })

  it('AU-10 refuses a decision that was not sent from the page in this session', async () => {
    const page = await newPage()
    const csrf = csrfOf(await (await person.browser.go(page)).text())
    const before = await grants()
    expect((await send(page, {})).status).toBe(403)
    expect((await send(page, { csrf: 'f'.repeat(64) })).status).toBe(403)
    expect((await send(page, { csrf }, person, 'cross-site')).status).toBe(403)
    const otherPage = await newPage()
    const otherCsrf = csrfOf(await (await person.browser.go(otherPage)).text())
    expect(otherCsrf).not.toBe(csrf)
    expect((await send(otherPage, { csrf })).status).toBe(403)
    expect(await grants()).toBe(before)
  })

  it('AU-10 is not shown in another browser', async () => {
    const page = await newPage()
    const other = await c.person()
    const shown = await other.browser.go(page)
    expect(shown.status).toBe(400)
    expect(await shown.text()).toContain('This request has expired')
    expect((await send(page, {}, other)).status).toBe(400)
  })

  it('AU-10 accepts only one of the user’s own organizations and at least one scope', async () => {
    const stranger = await c.system.member()
    const page = await newPage()
    const csrf = csrfOf(await (await person.browser.go(page)).text())
    expect((await send(page, { csrf, org_id: stranger.org_id })).status).toBe(400)
    expect((await send(page, { csrf, scope: 'notifications:read' })).status).toBe(400)
    const ok = await send(page, { csrf, scope: 'datasources:read' })
    expect(ok.status).toBe(200)
    const [row] = await c.system.db.query(
      sql`select org_id, user_id, scopes from platform_access_grants order by id desc limit 1`,
    )
    expect(row).toEqual({ org_id: person.org_id, user_id: person.user_id, scopes: ['datasources:read'] })
  })

  it('AU-10 offers no approval to a user without an organization', async () => {
    const someone = await c.person('member', person.org_id)
    await c.system.db.query(sql`delete from auth.memberships where user_id = ${someone.user_id}`)
    const text = await (await someone.browser.go(await newPage(someone))).text()
    expect(text).toContain('You do not belong to an organization. Join or create one')
    expect(text).not.toContain('value="approve"')
  })

  it('AU-14 users list their own agents, admins all of them, and either can disconnect one', async () => {
    const member = await c.person('member', person.org_id)
    await c.connect(member, clientId)
    const owner = c.system.client(person.token)
    const own = await c.system.client(member.token).call(listAgents, {})
    expect(own.items).toMatchObject([
      {
        client_id: clientId,
        client_name: 'Test Agent',
        redirect_host: '127.0.0.1:33418',
        scopes: ['datasources:read', 'datasources:query', 'functions:call'],
        user_id: member.user_id,
        email: member.email,
        last_used_at: null,
      },
    ])
    const all = await owner.call(listOrgAgents, { org_id: person.org_id })
    const id = own.items[0]!.id
    expect(all.items.map((item) => item.id)).toContain(id)
    expect(await owner.call(revokeAgent, { org_id: person.org_id, id })).toEqual({ id, revoked: true, connections: 1 })
    expect((await c.system.client(member.token).call(listAgents, {})).items).toEqual([])
    const { items } = await owner.call(listAudit, { org_id: person.org_id })
    expect(items[0]).toMatchObject({ action: 'agent.revoked', target: id, actor: expect.any(String) })
    expect(items[1]).toMatchObject({ action: 'agent.connected', target: id, actor: member.user_id })
  })
})
