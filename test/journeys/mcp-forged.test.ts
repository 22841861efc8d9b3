import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { decodeJwt, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessTokenKey } from '#edge/credentials/access-token.ts'
import { createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import { sql } from '#lib/db/sql.ts'
import { systemClock } from '#lib/time/clock.ts'
import { type Connector, type Person, startConnector } from '#test/agents/connector.ts'
import { callTool, sendMcp } from '#test/agents/mcp.ts'
import { SESSION } from '#test/sign-in.ts'

const METADATA = 'https://app.example.test/.well-known/oauth-protected-resource/mcp/platform'
const REFUSED = `Bearer error="invalid_token", resource_metadata="${METADATA}", scope="datasources:read datasources:query functions:call"`

describe('what is no access token of a live grant', () => {
  let connector: Connector
  let person: Person
  let client: string
  let platform: string
  let claims: JWTPayload & { gid: string; client_id: string; scope: string }
  let key: Buffer
  let other: string

  beforeAll(async () => {
    connector = await startConnector({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
    person = await connector.person('admin')
    client = await connector.client()
    platform = `${connector.system.url}/mcp/platform`
    const { access_token } = await connector.connect(person, client)
    claims = decodeJwt(access_token)
    key = accessTokenKey(connector.system.config.secrets.jwtSecret!)
    other = randomBytes(32).toString('hex')
  })
  afterAll(() => connector?.[Symbol.asyncDispose]())

  const sign = (payload: JWTPayload, over: { typ?: string; key?: Buffer } = {}) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: over.typ ?? 'at+jwt' }).sign(over.key ?? key)
  const seconds = () => Math.floor(Date.now() / 1000)
  // Each from an address of its own: refusals are counted by it.
  let address = 0
  const send = (token: string | undefined) =>
    sendMcp(platform, token, { headers: { 'x-forwarded-for': `203.0.113.${++address}` } })

  async function expectRefused(tokens: Record<string, string>): Promise<void> {
    for (const [what, token] of Object.entries(tokens)) {
      const { status, challenge, body } = await send(token)
      expect([what, status, challenge, body.code]).toEqual([what, 401, REFUSED, 'INVALID_TOKEN'])
    }
  }

  it('AU-13 the token as auth signs it passes: all below differ from it in one thing', async () => {
    expect((await send(await sign(claims))).status).toBe(200)
  })

  it('AU-13 alg none, a public key as a secret, another secret, the secret itself', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const { jwtSecret } = connector.system.config.secrets
    await expectRefused({
      none: new UnsecuredJWT(claims).encode().replace(/^[^.]+/, encode({ alg: 'none', typ: 'at+jwt' })),
      RS256: await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt' }).sign(privateKey),
      'public key as HS256 secret': await sign(claims, { key: Buffer.from(pem) }),
      'another secret': await sign(claims, { key: accessTokenKey(other) }),
      'the secret and not the key derived from it': await sign(claims, { key: Buffer.from(jwtSecret!, 'hex') }),
      'signature cut off': (await sign(claims)).replace(/[^.]+$/, ''),
    })
  })

  it('AU-13 another or no audience, issuer, type, grant, subject or client', async () => {
    const without = (name: string) =>
      Object.fromEntries(Object.entries(claims).filter(([claimName]) => claimName !== name))
    await expectRefused({
      'aud of the other endpoint': await sign({ ...claims, aud: 'https://app.example.test/mcp/notifications' }),
      'aud of another host': await sign({ ...claims, aud: 'https://evil.example/mcp/platform' }),
      'aud without a path': await sign({ ...claims, aud: 'https://app.example.test' }),
      'no aud': await sign(without('aud')),
      'another iss': await sign({ ...claims, iss: 'https://evil.example' }),
      'iss with a slash': await sign({ ...claims, iss: `${claims.iss}/` }),
      'no iss': await sign(without('iss')),
      'typ JWT': await sign(claims, { typ: 'JWT' }),
      'typ of an assertion': await sign(claims, { typ: 'actor+jwt' }),
      'typ of a user JWT': await sign(claims, { typ: 'user+jwt' }),
      'no gid': await sign(without('gid')),
      'forged gid': await sign({ ...claims, gid: 'grant_none' }),
      'another sub': await sign({ ...claims, sub: 'usr_other' }),
      'no sub': await sign(without('sub')),
      'another client': await sign({ ...claims, client_id: 'other' }),
    })
  })

  it('AU-13 a session, a user JWT or an assertion is no access token, nor the reverse', async () => {
    const session = person.browser.cookie('https://app.example.test', SESSION)!
    const assertions = createAssertionSigner(connector.system.config.secrets.actorAssertionSecret!, systemClock)
    const actor = { grantId: claims.gid, userId: claims.sub!, clientId: claims.client_id, scopes: ['datasources:read'] }
    await expectRefused({
      'an assertion for the MCP server': assertions(actor, 'mcp-server'),
      'an assertion for the gateway': assertions(actor, 'api-gateway'),
    })
    // People's own tokens are taken, as their own and not as an agent's.
    expect((await send(person.token)).status).toBe(200)
    expect((await send(session)).status).toBe(200)
    const headers = { authorization: `Bearer ${await sign(claims)}` }
    for (const path of ['/api/wf/slim/data-sources', '/api/v1/me', '/api/v1/tokens', '/mcp/notifications']) {
      const method = path.startsWith('/mcp') ? 'POST' : 'GET'
      expect([path, (await fetch(`${connector.system.url}${path}`, { method, headers })).status]).toEqual([path, 401])
    }
  })

  it('AU-13 expired, not yet good, or without an end', async () => {
    const { exp: _, ...endless } = claims
    await expectRefused({
      expired: await sign({ ...claims, iat: seconds() - 700, exp: seconds() - 1 }),
      'not yet good': await sign({ ...claims, nbf: seconds() + 60 }),
      endless: await sign(endless),
    })
  })

  it('AU-13 no token at all, in the query or in a cookie', async () => {
    const asked = `Bearer resource_metadata="${METADATA}", scope="datasources:read datasources:query functions:call"`
    const token = await sign(claims)
    const inQuery = await sendMcp(`${platform}?access_token=${token}`, undefined)
    expect([inQuery.status, inQuery.challenge]).toEqual([401, asked])
    const inCookie = await sendMcp(platform, undefined, { headers: { cookie: `${SESSION}=${token}` } })
    expect([inCookie.status, inCookie.challenge]).toEqual([401, asked])
    const both = await sendMcp(`${platform}?access_token=${token}`, token)
    expect([both.status, both.body.detail]).toEqual([400, 'access_token: unknown key'])
    const basic = await sendMcp(platform, undefined, { headers: { authorization: `Basic ${token}` } })
    expect([basic.status, basic.challenge]).toEqual([401, REFUSED])
  })

  it('AU-13 scopes the person did not grant are no use in a token that says so', async () => {
    const { access_token } = await connector.connect(person, client, { scope: 'datasources:read' })
    const narrow = decodeJwt(access_token)
    const wide = await sign({ ...narrow, scope: 'datasources:read datasources:query' })
    const called = await callTool(platform, wide, 'data_source_query', { id: 'db_x', query: 'x' })
    expect([called.status, called.challenge]).toEqual([
      403,
      `Bearer error="insufficient_scope", resource_metadata="${METADATA}", scope="datasources:read datasources:query"`,
    ])
    const foreign = await sign({ ...narrow, scope: 'notifications:read' })
    const none = await send(foreign)
    expect([none.status, none.challenge, none.body.detail]).toEqual([
      403,
      `Bearer error="insufficient_scope", resource_metadata="${METADATA}", scope="datasources:read datasources:query functions:call"`,
      'This endpoint needs the scope datasources:read datasources:query functions:call.',
    ])
  })

  it('AU-14 a grant that is revoked, removed or whose person has left is dead at the next call', async () => {
    const { db } = connector.system
    const leaver = await connector.person('viewer', person.org_id)
    const endings: [string, Person, (gid: string) => Promise<unknown>][] = [
      [
        'revoked',
        person,
        (gid) => db.query(sql`update platform_access_grants set revoked_at = now() where id = ${gid}`),
      ],
      ['removed', person, (gid) => db.query(sql`delete from platform_access_grants where id = ${gid}`)],
      ['left', leaver, () => db.query(sql`delete from auth.memberships where user_id = ${leaver.user_id}`)],
    ]
    for (const [how, who, end] of endings) {
      const { access_token } = await connector.connect(who, client)
      expect([how, (await send(access_token)).status]).toEqual([how, 200])
      await end(decodeJwt(access_token).gid as string)
      const after = await send(access_token)
      expect([how, after.status, after.challenge]).toEqual([how, 401, REFUSED])
    }
    const { access_token } = await connector.connect(person, client)
    await db.query(sql`update platform_oauth_clients set is_active = false where client_id = ${client}`)
    expect((await send(access_token)).status).toBe(401)
    await db.query(sql`update platform_oauth_clients set is_active = true where client_id = ${client}`)
  })
})

function encode(header: object): string {
  return Buffer.from(JSON.stringify(header)).toString('base64url')
}
