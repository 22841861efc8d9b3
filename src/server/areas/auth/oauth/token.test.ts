import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { disconnectAgent, listAgents } from '#contract/auth/agents.ts'
import { removeMember } from '#contract/auth/members.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { type Connector, ISSUER, type Person, PLATFORM, REDIRECT, startConnector } from '#test/agents/connector.ts'

const DAY = 24 * 3_600_000

describe('the token endpoint', () => {
  // The library knows only the time of the machine: both start together.
  const clock = testClock(new Date())
  let c: Connector
  let person: Person
  let clientId: string
  beforeAll(async () => {
    c = await startConnector({ clock })
    person = await c.person()
    clientId = await c.client()
  })
  afterAll(() => c[Symbol.asyncDispose]())

  const grantIsLive = async (accessToken: string) => {
    const { gid } = decodeJwt<{ gid: string }>(accessToken)
    const [row] = await c.system.db.query<{ live: boolean }>(
      sql`select revoked_at is null as live from platform_access_grants where id = ${gid}`,
    )
    return row?.live ?? false
  }
  const invalidGrant = { status: 400, error: 'invalid_grant' }
  const outcome = ({ status, body }: { status: number; body: Record<string, string> }) => ({
    status,
    error: body.error,
  })

  it('AU-10 forbids caching of its answers', async () => {
    const { status, headers } = await c.redeem(await c.code(person, clientId))
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it.each([
    ['a wrong verifier', { code_verifier: 'w'.repeat(43) }],
    ['no verifier', { code_verifier: '' }],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:33418/other' }],
  ])('AU-10 refuses a code with %s, and deletes it', async (_, over) => {
    const code = await c.code(person, clientId)
    expect((await c.redeem(code, over)).status).toBe(400)
    expect(outcome(await c.redeem(code))).toEqual(invalidGrant)
  })

  it('AU-10 refuses the code of another client', async () => {
    const code = await c.code(person, clientId)
    expect(outcome(await c.redeem({ ...code, client_id: await c.client() }))).toEqual(invalidGrant)
  })

  it('AU-14 revokes the grant of a code that is used twice', async () => {
    const code = await c.code(person, clientId)
    const { body } = await c.redeem(code)
    c.system.secrets.push(body.access_token!, body.refresh_token!)
    expect(outcome(await c.redeem(code))).toEqual(invalidGrant)
    expect(await grantIsLive(body.access_token!)).toBe(false)
    expect(outcome(await c.refresh(clientId, body.refresh_token!))).toEqual(invalidGrant)
  })

  it('AU-10 refuses a code after a minute', async () => {
    const code = await c.code(person, clientId)
    clock.advance(61_000)
    expect(outcome(await c.redeem(code))).toEqual(invalidGrant)
  })

  it.each([
    ['another resource', { resource: `${ISSUER}/mcp/notifications` }, 'invalid_target'],
    ['an unknown resource', { resource: 'https://elsewhere.example/' }, 'invalid_target'],
  ])('AU-10 accepts a code for the approved resource only, not for %s', async (_, over, error) => {
    expect(outcome(await c.redeem(await c.code(person, clientId), over))).toEqual({ status: 400, error })
  })

  it('AU-14 accepts a refresh token once and returns its successor', async () => {
    const first = await c.connect(person, clientId)
    const second = await c.refresh(clientId, first.refresh_token)
    expect(second.status).toBe(200)
    expect(second.body.refresh_token).not.toBe(first.refresh_token)
    expect(decodeJwt(second.body.access_token!)).toMatchObject({ aud: PLATFORM, sub: person.user_id })
    expect((await c.refresh(clientId, second.body.refresh_token!)).status).toBe(200)
  })

  it('AU-20 a refresh repeated within 30 seconds gets the same successor and an access token of its own', async () => {
    const first = await c.connect(person, clientId)
    const second = await c.refresh(clientId, first.refresh_token)
    clock.advance(29_000)
    const again = await c.refresh(clientId, first.refresh_token)
    expect([again.status, again.body.refresh_token]).toEqual([200, second.body.refresh_token])
    expect(again.body.access_token).not.toBe(second.body.access_token)
    expect(decodeJwt(again.body.access_token!)).toMatchObject({ aud: PLATFORM, sub: person.user_id })
    const third = await c.refresh(clientId, second.body.refresh_token!)
    expect(third.status).toBe(200)
    expect(await grantIsLive(first.access_token)).toBe(true)
    const [row] = await c.system.db.query<{ n: number }>(sql`
      select count(*)::int as n from auth.oauth_artifacts
      where grant_id = ${decodeJwt<{ gid: string }>(first.access_token).gid} and consumed_at is null`)
    expect(row).toEqual({ n: 1 })
  })

  it('AU-20 a successor that was used ends the repetition at once, and reuse after 15 seconds revokes the grant', async () => {
    const first = await c.connect(person, clientId)
    const second = await c.refresh(clientId, first.refresh_token)
    const third = await c.refresh(clientId, second.body.refresh_token!)
    clock.advance(9_000)
    expect(outcome(await c.refresh(clientId, first.refresh_token))).toEqual(invalidGrant)
    expect(await grantIsLive(first.access_token)).toBe(true)
    clock.advance(7_000)
    expect(outcome(await c.refresh(clientId, first.refresh_token))).toEqual(invalidGrant)
    expect(await grantIsLive(first.access_token)).toBe(false)
    expect(outcome(await c.refresh(clientId, third.body.refresh_token!))).toEqual(invalidGrant)
  })

  it('AU-14 revokes the grant if a refresh token is reused later', async () => {
    const first = await c.connect(person, clientId)
    const second = await c.refresh(clientId, first.refresh_token)
    clock.advance(36_000)
    expect(outcome(await c.refresh(clientId, first.refresh_token))).toEqual(invalidGrant)
    expect(await grantIsLive(first.access_token)).toBe(false)
    expect(outcome(await c.refresh(clientId, second.body.refresh_token!))).toEqual(invalidGrant)
  })

  it.each([
    ['another client', async () => ({ client_id: await c.client() }), 'invalid_grant'],
    ['another resource', async () => ({ resource: `${ISSUER}/mcp/notifications` }), 'invalid_target'],
    ['more scopes', async () => ({ scope: 'datasources:read datasources:query' }), 'invalid_scope'],
  ])('AU-20 a repeated refresh is refused for %s', async (_, over, error) => {
    const first = await c.connect(person, clientId, { scope: 'datasources:read' })
    await c.refresh(clientId, first.refresh_token)
    expect(outcome(await c.refresh(clientId, first.refresh_token, await over()))).toEqual({ status: 400, error })
    expect(await grantIsLive(first.access_token)).toBe(true)
  })

  it('AU-20 a refresh that is refused for its resource does not use the token up', async () => {
    const tokens = await c.connect(person, clientId)
    for (const resource of [`${ISSUER}/mcp/notifications`, 'https://elsewhere.example/']) {
      const refused = await c.refresh(clientId, tokens.refresh_token, { resource })
      expect(outcome(refused)).toEqual({ status: 400, error: 'invalid_target' })
    }
    clock.advance(60_000)
    expect((await c.refresh(clientId, tokens.refresh_token, { resource: PLATFORM })).status).toBe(200)
  })

  it('AU-14 refuses the refresh token of another client', async () => {
    const tokens = await c.connect(person, clientId)
    expect(outcome(await c.refresh(await c.client(), tokens.refresh_token))).toEqual(invalidGrant)
  })

  it.each([
    ['more scopes', { scope: 'datasources:read datasources:query' }, 'invalid_scope'],
    ['another resource', { resource: `${ISSUER}/mcp/notifications` }, 'invalid_target'],
  ])('AU-14 a refresh never returns %s than was approved', async (_, over, error) => {
    const tokens = await c.connect(person, clientId, { scope: 'datasources:read' })
    expect(tokens.scope).toBe('datasources:read')
    expect(outcome(await c.refresh(clientId, tokens.refresh_token, over))).toEqual({ status: 400, error })
  })

  it.each([
    [
      'the person disconnects the agent',
      async ({ gid }: { gid: string }) => {
        await c.system.client(person.token).call(disconnectAgent, { id: gid })
      },
    ],
    [
      'the operator removes the row',
      async ({ gid }: { gid: string }) => {
        await c.system.db.query(sql`delete from platform_access_grants where id = ${gid}`)
      },
    ],
    [
      'the operator marks the row',
      async ({ gid }: { gid: string }) => {
        await c.system.db.query(sql`update platform_access_grants set revoked_at = now() where id = ${gid}`)
      },
    ],
  ])('AU-14 refuses to refresh, and AU-20 to repeat a refresh, after %s', async (_, act) => {
    const tokens = await c.connect(person, clientId)
    const { body } = await c.refresh(clientId, tokens.refresh_token)
    await act(decodeJwt<{ gid: string }>(tokens.access_token))
    expect(outcome(await c.refresh(clientId, tokens.refresh_token))).toEqual(invalidGrant)
    expect(outcome(await c.refresh(clientId, body.refresh_token!))).toEqual(invalidGrant)
  })

  it('AU-14 refuses to refresh for a disabled client', async () => {
    const id = await c.client()
    const tokens = await c.connect(person, id)
    const { body } = await c.refresh(id, tokens.refresh_token)
    await c.system.db.query(sql`update platform_oauth_clients set is_active = false where client_id = ${id}`)
    expect((await c.refresh(id, tokens.refresh_token)).status).toBe(401)
    expect((await c.refresh(id, body.refresh_token!)).status).toBe(401)
  })

  it('AU-14 refuses to refresh for a user who is no longer a member', async () => {
    const member = await c.person('member', person.org_id)
    const tokens = await c.connect(member, clientId)
    const { body } = await c.refresh(clientId, tokens.refresh_token)
    await c.system.client(person.token).call(removeMember, { org_id: person.org_id, user_id: member.user_id })
    expect(outcome(await c.refresh(clientId, tokens.refresh_token))).toEqual(invalidGrant)
    expect(outcome(await c.refresh(clientId, body.refresh_token!))).toEqual(invalidGrant)
  })

  it.each(['password', 'client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code', 'unknown'])(
    'AU-10 refuses the grant type %s',
    async (grant_type) => {
      const answer = await c.token({ grant_type, client_id: clientId, username: 'a', password: 'b' })
      expect(outcome(answer)).toEqual({ status: 400, error: 'unsupported_grant_type' })
    },
  )

  it('AU-10 limits refused token requests by address, and still answers valid ones from that address', async () => {
    clock.advance(60_000)
    const { refresh_token } = await c.connect(person, clientId)
    const code = await c.code(await c.person(), clientId)
    const guess = () => c.refresh(clientId, 'made-up')
    for (let n = 0; n < 120; n++) expect(outcome(await guess())).toEqual(invalidGrant)
    const limited = await guess()
    expect([limited.status, limited.body.code]).toEqual([429, 'RATE_LIMITED'])
    // Clients that make the person sign in again read only these.
    expect([limited.body.error, limited.headers.get('content-type')]).toEqual([
      'temporarily_unavailable',
      'application/json',
    ])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await c.refresh(clientId, refresh_token)).status).toBe(200)
    expect((await c.redeem(code)).status).toBe(200)
    expect((await guess()).status).toBe(429)
    clock.advance(60_000)
    expect(outcome(await guess())).toEqual(invalidGrant)
  })

  it('AU-14 accepts a revocation also after many refused ones from the same address', async () => {
    clock.advance(60_000)
    const { access_token, refresh_token } = await c.connect(person, clientId)
    const revoke = async (client_id: string, token: string) => {
      const body = new URLSearchParams({ client_id, token })
      return (await fetch(`${c.system.url}/oauth/revoke`, { method: 'POST', body })).status
    }
    for (let n = 0; n < 120; n++) expect(await revoke('oac_nobody', 'made-up')).toBe(401)
    expect(await revoke('oac_nobody', 'made-up')).toBe(429)
    expect(await revoke(clientId, refresh_token)).toBe(200)
    expect(await grantIsLive(access_token)).toBe(false)
  })

  it('AU-10 refuses a repeated parameter', async () => {
    const { code, verifier, client_id } = await c.code(person, clientId)
    const form = new URLSearchParams({ grant_type: 'authorization_code', code, code_verifier: verifier, client_id })
    form.append('redirect_uri', REDIRECT)
    form.append('code_verifier', verifier)
    const response = await fetch(`${c.system.url}/oauth/token`, { method: 'POST', body: form })
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([400, 'invalid_request'])
  })

  it.each([
    ['nothing', {}, 400, 'invalid_request'],
    ['no client', { grant_type: 'refresh_token', refresh_token: 'x' }, 400, 'invalid_request'],
    [
      'an unknown client',
      { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'oac_none' },
      401,
      'invalid_client',
    ],
  ])('AU-10 refuses %s', async (_, form: Record<string, string>, status, error) => {
    expect(outcome(await c.token(form))).toEqual({ status, error })
  })

  it('AU-14 revokes the grant of an agent that revokes its token', async () => {
    const tokens = await c.connect(person, clientId)
    const body = new URLSearchParams({ token: tokens.refresh_token, client_id: clientId })
    expect((await fetch(`${c.system.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
    expect(await grantIsLive(tokens.access_token)).toBe(false)
    expect(outcome(await c.refresh(clientId, tokens.refresh_token))).toEqual(invalidGrant)
  })

  it('AU-14 does not let an agent revoke the token of another', async () => {
    const tokens = await c.connect(person, clientId)
    const body = new URLSearchParams({ token: tokens.refresh_token, client_id: await c.client() })
    expect((await fetch(`${c.system.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
    expect((await c.refresh(clientId, tokens.refresh_token)).status).toBe(200)
  })

  it('AU-14 approving one agent and then another in the same browser ends neither', async () => {
    const other = (await c.register({ client_name: 'Other Agent' })).body.client_id!
    const second = await c.connect(person, other)
    const first = await c.connect(person, clientId)
    expect((await c.refresh(clientId, first.refresh_token)).status).toBe(200)
    expect((await c.refresh(other, second.refresh_token)).status).toBe(200)
    const { items } = await c.system.client(person.token).call(listAgents, {})
    expect(items[0]).toMatchObject({ client_name: 'Test Agent', redirect_host: new URL(REDIRECT).host })
  })

  // Last: it moves the clock by months.
  it('AU-14 refresh tokens end 30 days after their last use, and 90 days after the approval', async () => {
    const id = 'operators-own'
    await c.system.db.query(
      sql`insert into platform_oauth_clients (client_id, redirect_uris) values (${id}, ${[REDIRECT]})`,
    )
    const idle = await c.connect(person, id)
    let busy = (await c.connect(person, id)).refresh_token
    for (const days of [29, 29, 29]) {
      clock.advance(days * DAY)
      busy = (await c.refresh(id, busy)).body.refresh_token!
    }
    expect(outcome(await c.refresh(id, idle.refresh_token))).toEqual(invalidGrant)
    const late = await c.refresh(id, busy)
    expect(late.status).toBe(200)
    clock.advance(3 * DAY)
    expect(outcome(await c.refresh(id, late.body.refresh_token!))).toEqual(invalidGrant)
  })
})
