import { randomBytes } from 'node:crypto'
import { decodeJwt, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { disconnectAgent, listAgents } from '#contract/auth/agents.ts'
import { validateToken } from '#contract/auth/auth.ts'
import { changeRole, removeMember } from '#contract/auth/members.ts'
import { createClient } from '#contract/core/client.ts'
import type { Audience, Principal } from '#contract/core/principal.ts'
import { type ActorClaims, createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import { deriveKey } from '#lib/crypto/keys.ts'
import { sql } from '#lib/db/sql.ts'
import { testClock } from '#lib/time/clock.ts'
import { type Connector, type Person, startConnector } from '#test/agents/connector.ts'
import { startSystem } from '#test/system.ts'

describe('an assertion of the MCP server about an agent', () => {
  const clock = testClock(new Date())
  let c: Connector
  let owner: Person
  let clientId: string
  beforeAll(async () => {
    c = await startConnector({ clock })
    owner = await c.person()
    clientId = await c.client()
  })
  afterAll(() => c[Symbol.asyncDispose]())

  const connect = async (person: Person) => {
    const { access_token } = await c.connect(person, clientId)
    const { gid } = decodeJwt<{ gid: string }>(access_token)
    const scopes = ['datasources:read', 'datasources:query']
    return { access_token, claims: { grantId: gid, userId: person.user_id, clientId, scopes } }
  }
  const sign = async (claims: ActorClaims, audience: Audience = 'api-gateway', secret?: string) =>
    createAssertionSigner(secret ?? c.system.config.secrets.actorAssertionSecret!, clock)(claims, audience)
  const validate = async (token: string, audience: Audience = 'api-gateway'): Promise<Principal | string> => {
    const client = createClient({ baseUrl: c.system.url, fetch })
    return client.call(validateToken, { token, audience }).then(
      ({ principal }) => principal,
      (error: Error) => error.message,
    )
  }
  const REFUSED = 'Invalid or expired API token'

  it('AU-13 resolves to the agent, with the current role of its user and the granted scopes', async () => {
    const { claims } = await connect(owner)
    expect(await validate(await sign(claims))).toMatchObject({
      kind: 'agent',
      id: claims.grantId,
      user_id: owner.user_id,
      org_id: owner.org_id,
      role: 'owner',
      scopes: ['datasources:read', 'datasources:query'],
    })
    const { items } = await c.system.client(owner.token).call(listAgents, {})
    expect(items[0]!.last_used_at).toBe(clock.now().toISOString())
  })

  it('AU-13 allows no more than the access token it was made from', async () => {
    const { claims } = await connect(owner)
    const widerClaims = { ...claims, scopes: ['datasources:read', 'notifications:read'] }
    expect(await validate(await sign(widerClaims))).toMatchObject({ scopes: ['datasources:read'] })
  })

  it('AU-13 is accepted once, by one service, within a minute', async () => {
    const { claims } = await connect(owner)
    const once = await sign(claims)
    expect(await validate(once)).toMatchObject({ kind: 'agent' })
    expect(await validate(once)).toBe(REFUSED)
    expect(await validate(await sign(claims, 'mcp-server'))).toBe(REFUSED)
    expect(await validate(await sign(claims), 'deploy-api')).toBe(REFUSED)
    const late = await sign(claims)
    clock.advance(61_000)
    expect(await validate(late)).toBe(REFUSED)
  })

  it('AU-13 is judged by its own grant among many at once', async () => {
    const [standing, ended, others] = [
      await connect(await c.person()),
      await connect(owner),
      await connect(await c.person()),
    ]
    await c.system.client(owner.token).call(disconnectAgent, { id: ended.claims.grantId })
    const swapped = { ...others.claims, userId: standing.claims.userId }
    const claims = Array.from({ length: 10 }, () => [standing.claims, ended.claims, swapped]).flat()
    const answers = await Promise.all(claims.map(async (one) => validate(await sign(one))))
    const accepted = { kind: 'agent', id: standing.claims.grantId, user_id: standing.claims.userId }
    for (const [i, answer] of answers.entries()) {
      if (i % 3 === 0) expect(answer).toMatchObject(accepted)
      else expect(answer).toBe(REFUSED)
    }
  })

  it('AU-13 must be signed with the second secret and name a grant, its user and its client', async () => {
    const { claims } = await connect(owner)
    const other = await c.person()
    const forged: Record<string, Promise<string>> = {
      'another secret': sign(claims, 'api-gateway', randomBytes(32).toString('hex')),
      'the first secret': sign(claims, 'api-gateway', c.system.config.secrets.jwtSecret),
      'an unknown grant': sign({ ...claims, grantId: 'grt_none' }),
      'another person': sign({ ...claims, userId: other.user_id }),
      'another client': sign({ ...claims, clientId: 'oac_other' }),
    }
    for (const [what, token] of Object.entries(forged)) expect(await validate(await token), what).toBe(REFUSED)
  })

  it('AU-13 is refused after a minute, whatever expiry it states', async () => {
    const { claims } = await connect(owner)
    const key = deriveKey(Buffer.from(c.system.config.secrets.actorAssertionSecret!, 'hex'), 'actor-assertion')
    const now = Math.floor(clock.now().getTime() / 1000)
    const make = (over: { iat: number; exp: number; typ?: string; alg?: string }) =>
      new SignJWT({ gid: claims.grantId, client_id: clientId, scope: 'datasources:read' })
        .setProtectedHeader({ alg: over.alg ?? 'HS256', typ: over.typ ?? 'actor+jwt' })
        .setIssuer('mcp-server')
        .setSubject(owner.user_id)
        .setAudience('api-gateway')
        .setJti(randomBytes(8).toString('hex'))
        .setIssuedAt(over.iat)
        .setExpirationTime(over.exp)
        .sign(key)
    expect(await validate(await make({ iat: now, exp: now + 60 }))).toMatchObject({ kind: 'agent' })
    expect(await validate(await make({ iat: now, exp: now + 61 }))).toBe(REFUSED)
    expect(await validate(await make({ iat: now - 90, exp: now + 30 }))).toBe(REFUSED)
    expect(await validate(await make({ iat: now + 600, exp: now + 660 }))).toBe(REFUSED)
    expect(await validate(await make({ iat: now, exp: now + 60, alg: 'HS512' }))).toBe(REFUSED)
    expect(await validate(await make({ iat: now, exp: now + 60, typ: 'JWT' }))).toBe(REFUSED)
    expect(await validate(await make({ iat: now, exp: now + 60, typ: 'user+jwt' }))).toBe(REFUSED)
  })

  it('AU-13 is needed: the agent’s own access token is refused by every service', async () => {
    const { access_token } = await connect(owner)
    for (const audience of ['api-gateway', 'auth-service', 'deploy-api', 'mcp-server'] as const) {
      expect(await validate(access_token, audience)).toBe(REFUSED)
    }
    const headers = { authorization: `Bearer ${access_token}` }
    for (const path of ['/api/v1/me', '/api/wf/data-sources', '/api/wf/databases']) {
      expect((await fetch(`${c.system.url}${path}`, { headers })).status, path).toBe(401)
    }
  })

  it.each([
    [
      'the person disconnects it',
      async (_: Person, id: string, token: string) => {
        await c.system.client(token).call(disconnectAgent, { id })
      },
    ],
    [
      'its row is deleted',
      async (_: Person, id: string) => {
        await c.system.db.query(sql`delete from platform_access_grants where id = ${id}`)
      },
    ],
    [
      'its row is marked',
      async (_: Person, id: string) => {
        await c.system.db.query(sql`update platform_access_grants set revoked_at = now() where id = ${id}`)
      },
    ],
    [
      'the person is removed',
      async ({ user_id, org_id }: Person) => {
        await c.system.client(owner.token).call(removeMember, { org_id, user_id })
      },
    ],
    ['90 days pass', async () => clock.advance(90 * 24 * 3_600_000)],
  ])('AU-14 is refused at the next call once %s', async (_, act) => {
    const person = await c.person('member', owner.org_id)
    const { claims } = await connect(person)
    expect(await validate(await sign(claims))).toMatchObject({ kind: 'agent', role: 'member' })
    await act(person, claims.grantId, person.token)
    expect(await validate(await sign(claims))).toBe(REFUSED)
  })

  it('AU-14 is refused at the next call once its client is disabled', async () => {
    clientId = await c.client()
    const { claims } = await connect(await c.person('owner'))
    expect(await validate(await sign(claims))).toMatchObject({ kind: 'agent' })
    await c.system.db.query(sql`update platform_oauth_clients set is_active = false where client_id = ${clientId}`)
    expect(await validate(await sign(claims))).toBe(REFUSED)
    clientId = await c.client()
  })

  it('AU-08 is refused after either signing secret is rotated', async () => {
    const { secrets } = c.system.config
    const { claims } = await connect(await c.person())
    for (const rotated of ['SVC_JWT_SECRET', 'SVC_JWT_SIGNING_KEY']) {
      const env = {
        SVC_JWT_SECRET: secrets.jwtSecret,
        SVC_JWT_SIGNING_KEY: secrets.jwtSigningKey,
        SVC_ACTOR_ASSERTION_SECRET: secrets.actorAssertionSecret,
        [rotated]: randomBytes(32).toString('hex'),
      }
      await using after = await startSystem({ on: c.system, env, clock })
      const client = createClient({ baseUrl: after.url, fetch })
      const asked = client.call(validateToken, { token: await sign(claims), audience: 'api-gateway' })
      await expect(asked, rotated).rejects.toThrow(REFUSED)
    }
    expect(await validate(await sign(claims))).toMatchObject({ kind: 'agent' })
  })

  it('AU-13 acts with a changed role of its user at once', async () => {
    const boss = await c.person()
    const person = await c.person('developer', boss.org_id)
    const { claims } = await connect(person)
    expect(await validate(await sign(claims))).toMatchObject({ role: 'developer' })
    const { org_id, user_id } = person
    await c.system.client(boss.token).call(changeRole, { org_id, user_id, role: 'viewer' })
    expect(await validate(await sign(claims))).toMatchObject({ role: 'viewer' })
  })
})
