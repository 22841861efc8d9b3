import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessTokenKey } from '#edge/credentials/access-token.ts'
import { keyEpoch, masterKey } from '#lib/crypto/keys.ts'
import { sql } from '#lib/db/sql.ts'
import { listAs, requestAs, sendMcp } from '#test/agents/mcp.ts'
import { type System, startSystem } from '#test/system.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } }

describe('AU-10 an agent finds out where to get a token', () => {
  let system: System
  let member: Awaited<ReturnType<System['member']>>
  let port: string
  beforeAll(async () => {
    system = await startSystem()
    member = await system.member('viewer')
    port = new URL(system.url).port
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const metadata = (path: string, host?: string) => requestAs(system.url, { path, ...(host && { host }) })

  it('the metadata of both endpoints, at the path of the resource and at the root', async () => {
    const platform = {
      resource: `${system.url}/mcp/platform`,
      authorization_servers: [system.url],
      scopes_supported: ['datasources:read', 'datasources:query', 'functions:call'],
      bearer_methods_supported: ['header'],
      resource_name: 'svc data sources and functions',
    }
    expect(await metadata(`${WELL_KNOWN}/mcp/platform`)).toMatchObject({ status: 200, body: platform })
    expect((await metadata(WELL_KNOWN)).body).toEqual(platform)
    expect((await metadata(`${WELL_KNOWN}/mcp/notifications`)).body).toEqual({
      ...platform,
      resource: `${system.url}/mcp/notifications`,
      scopes_supported: ['notifications:read', 'notifications:ack'],
      resource_name: 'svc notifications',
    })
    expect((await metadata(`${WELL_KNOWN}/mcp/other`)).status).toBe(404)
    expect((await metadata(`${WELL_KNOWN}/platform`)).status).toBe(404)
  })

  it('a refusal names the metadata and the scopes', async () => {
    for (const [endpoint, scope] of [
      ['platform', 'datasources:read datasources:query functions:call'],
      ['notifications', 'notifications:read notifications:ack'],
    ]) {
      const named = `resource_metadata="${system.url}${WELL_KNOWN}/mcp/${endpoint}", scope="${scope}"`
      const none = await sendMcp(`${system.url}/mcp/${endpoint}`, undefined)
      expect([none.status, none.challenge]).toEqual([401, `Bearer ${named}`])
      const wrong = await sendMcp(`${system.url}/mcp/${endpoint}`, 'svc_wrong')
      expect([wrong.status, wrong.challenge]).toEqual([401, `Bearer error="invalid_token", ${named}`])
    }
  })

  it('on the machine itself the resource has the name the agent used', async () => {
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const resource = `http://${name}:${port}/mcp/platform`
      const { body } = await metadata(`${WELL_KNOWN}/mcp/platform`, `${name}:PORT`)
      expect([body.resource, body.authorization_servers]).toEqual([resource, [system.url]])
      const { challenge } = await listAs(system.url, undefined, { host: `${name}:PORT` })
      expect(challenge).toContain(`resource_metadata="http://${name}:${port}${WELL_KNOWN}/mcp/platform"`)
    }
    for (const host of ['evil.example', 'localhost:1', '10.0.0.1:PORT', 'localhost.evil.example:PORT']) {
      expect((await metadata(`${WELL_KNOWN}/mcp/platform`, host)).body.resource).toBe(`${system.url}/mcp/platform`)
    }
  })

  it('a token for one name of the machine is good under that name', async () => {
    const token = await mintToken(`http://localhost:${port}/mcp/platform`)
    expect((await listAs(system.url, token, { host: 'localhost:PORT' })).status).toBe(200)
    expect((await listAs(system.url, token, { host: '127.0.0.1:PORT' })).status).toBe(401)
  })

  /** As the authorization server would, of a grant that stands. */
  async function mintToken(resource: string): Promise<string> {
    const { jwtSecret, jwtSigningKey } = system.config.secrets
    const grantId = `grant_${randomUUID()}`
    const epoch = keyEpoch(masterKey(jwtSecret!, jwtSigningKey!))
    await system.db.query(sql`
      insert into platform_oauth_clients (client_id, redirect_uris) values ('agent', '{http://localhost/}')
      on conflict do nothing`)
    await system.db.query(sql`
      insert into platform_access_grants
        (id, org_id, user_id, client_id, client_name, redirect_host, resource, scopes, epoch, created_at, expires_at)
      values (${grantId}, ${member.org_id}, ${member.user_id}, 'agent', 'Agent', 'localhost', ${resource},
              ${['datasources:read']}, ${epoch}, now(), now() + interval '1 day')`)
    const token = await new SignJWT({ gid: grantId, client_id: 'agent', scope: 'datasources:read' })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setIssuer(system.url)
      .setSubject(member.user_id)
      .setAudience(resource)
      .setExpirationTime('5 minutes')
      .sign(accessTokenKey(jwtSecret!))
    system.secrets.push(token)
    return token
  }

  it('a page that takes our address under its own name is refused', async () => {
    for (const host of ['evil.example', 'evil.example:PORT', 'localhost.evil.example:PORT', '127.0.0.1.evil.example']) {
      expect([host, (await listAs(system.url, member.token, { host })).status]).toEqual([host, 403])
    }
    for (const host of ['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'LOCALHOST:PORT', '192.168.1.7:PORT']) {
      expect([host, (await listAs(system.url, member.token, { host })).status]).toEqual([host, 200])
    }
  })

  it('pages of other sites are refused, programs are not', async () => {
    const from = async (origin: string) => (await listAs(system.url, member.token, { headers: { origin } })).status
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'not an origin']) {
      expect([origin, await from(origin)]).toEqual([origin, 403])
    }
    for (const origin of ['http://localhost:6274', system.url, 'vscode-webview://abc']) {
      expect([origin, await from(origin)]).toEqual([origin, 200])
    }
  })
})

describe('AU-09 where agents cannot connect', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem({ env: { SVC_ACTOR_ASSERTION_SECRET: undefined } })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('there is no metadata, refusals name none, and people’s own tokens work', async () => {
    for (const path of ['', '/mcp/platform', '/mcp/notifications']) {
      expect((await fetch(`${system.url}${WELL_KNOWN}${path}`)).status).toBe(404)
    }
    const platform = `${system.url}/mcp/platform`
    expect((await sendMcp(platform, undefined)).challenge).toBe('Bearer')
    expect((await sendMcp(platform, 'svc_wrong')).challenge).toBe('Bearer error="invalid_token"')
    const token = await new SignJWT({ gid: 'g', client_id: 'c', sub: 'u', aud: platform, iss: system.url })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setExpirationTime('5 minutes')
      .sign(accessTokenKey(system.config.secrets.jwtSecret!))
    expect((await sendMcp(platform, token)).status).toBe(401)
    expect((await sendMcp(platform, (await system.member('viewer')).token)).status).toBe(200)
  })
})

describe('AU-10 the MCP server on a host of its own', () => {
  let system: System
  let token: string
  beforeAll(async () => {
    const urls = { SVC_AUTH_PUBLIC_URL: 'https://auth.example.com', SVC_MCP_PUBLIC_URL: 'https://mcp.example.com' }
    system = await startSystem({ mode: 'apart', env: urls })
    token = (await system.member('viewer')).token
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('answers at the root of the host, and describes itself by its public address', async () => {
    const own = system.urlOf('mcp-server')
    for (const [path, endpoint] of [
      [`${WELL_KNOWN}/platform`, 'platform'],
      [`${WELL_KNOWN}/notifications`, 'notifications'],
      [WELL_KNOWN, 'platform'],
    ] as const) {
      const { status, body } = await requestAs(own, { path, host: 'mcp.example.com' })
      expect([path, status, body.resource, body.authorization_servers]).toEqual([
        path,
        200,
        `https://mcp.example.com/${endpoint}`,
        ['https://auth.example.com'],
      ])
    }
    for (const path of ['/platform', '/notifications', '/mcp/platform']) {
      expect([path, (await listAs(own, token, { path, host: 'mcp.example.com' })).status]).toEqual([path, 200])
    }
    const { status, challenge } = await listAs(own, undefined, { path: '/platform', host: 'mcp.example.com' })
    expect([status, challenge]).toEqual([
      401,
      `Bearer resource_metadata="https://mcp.example.com${WELL_KNOWN}/platform", scope="datasources:read datasources:query functions:call"`,
    ])
    expect((await listAs(own, token, { path: '/platform', host: 'other.example.com' })).status).toBe(403)
    expect((await requestAs(own, { path: '/platform', host: 'mcp.example.com' })).status).toBe(405)
    expect((await requestAs(own, { path: '/other', host: 'mcp.example.com' })).status).toBe(404)
    expect((await requestAs(own, { path: '/healthz', host: '10.1.2.3' })).status).toBe(200)
  })

  it('is reached through the door too, which names it by its address in the cluster', async () => {
    const response = await fetch(`${system.url}/mcp/platform`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }),
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('"protocolVersion":"2025-11-25"')
  })
})
