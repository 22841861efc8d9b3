import { randomBytes } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ActorClaims, createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { createLog } from '#lib/log/log.ts'
import { systemClock } from '#lib/time/clock.ts'
import { type Connector, startConnector } from '#test/agents/connector.ts'
import { callTool } from '#test/agents/mcp.ts'
import { type Recorder, type Seen, startRecorder } from '#test/outside/recorder.ts'
import { openResources } from '../../src/server/process/resources.ts'
import { startServices } from '../../src/server/process/start.ts'

const SOURCES = '/api/wf/slim/data-sources'

/** An MCP server of its own, whose every word to the other services is written down. */
describe('what the MCP server says of an agent', () => {
  const stack = new AsyncDisposableStack()
  let connector: Connector
  let recorder: Recorder
  let platform: string
  let token: string
  let actor: ActorClaims

  beforeAll(async () => {
    connector = stack.use(await startConnector())
    const { system } = connector
    recorder = stack.use(await startRecorder(system.url))
    const config = { ...system.config, services: ['mcp-server'] as const }
    const over = { db: system.db, kv: openMemoryStore(systemClock), log: createLog('silent') }
    const options = { ...config, port: 0, urlOf: () => recorder.url }
    platform = `${(await startServices(await openResources(config, stack, over), stack, options)).url}/mcp/platform`
    const person = await connector.person('admin')
    token = (await connector.connect(person, await connector.client())).access_token
    const claims = decodeJwt<{ gid: string; client_id: string; scope: string }>(token)
    const scopes = claims.scope.split(' ')
    actor = { grantId: claims.gid, userId: claims.sub!, clientId: claims.client_id, scopes }
  })
  afterAll(() => stack.disposeAsync())

  const signer = (secret = connector.system.config.secrets.actorAssertionSecret!, ageSeconds = 0) =>
    createAssertionSigner(secret, { ...systemClock, now: () => new Date(Date.now() - ageSeconds * 1000) })
  let address = 0
  const ask = async (assertion: string) => {
    const headers = { authorization: `Bearer ${assertion}`, 'x-forwarded-for': `203.0.113.${++address}` }
    return (await fetch(`${connector.system.url}${SOURCES}`, { headers })).status
  }
  const bearerIn = ({ headers }: Seen) => String(headers.authorization).replace('Bearer ', '')

  it('AU-13 the agent’s token is never seen upstream; each service gets its own fresh assertion', async () => {
    for (let n = 0; n < 2; n++) {
      const { body } = await callTool(platform, token, 'data_sources_list')
      expect(body.result!.structuredContent).toEqual({ items: [], next_cursor: null })
    }
    const [signature] = token.split('.').slice(-1)
    for (const seen of recorder.seen) expect(JSON.stringify(seen)).not.toContain(signature)
    expect(recorder.seen.map(({ path }) => path)).toEqual([
      '/api/v1/tokens/validate',
      SOURCES,
      '/api/v1/tokens/validate',
      SOURCES,
    ])
    const assertions = recorder.seen.map((seen) =>
      seen.path === SOURCES ? bearerIn(seen) : (JSON.parse(seen.body) as { token: string }).token,
    )
    const [first, second] = assertions.map((assertion) => decodeJwt(assertion))
    expect(assertions.map((assertion) => decodeProtectedHeader(assertion).typ)).toEqual(Array(4).fill('actor+jwt'))
    expect([first!.aud, second!.aud]).toEqual(['mcp-server', 'api-gateway'])
    expect([first!.sub, first!.gid, first!.exp! - first!.iat!]).toEqual([actor.userId, actor.grantId, 50])
    expect(new Set(assertions.map((assertion) => decodeJwt(assertion).jti)).size).toBe(4)
  })

  it('AU-13 an assertion that was used is used up', async () => {
    await callTool(platform, token, 'data_sources_list')
    const used = bearerIn(recorder.seen.findLast(({ path }) => path === SOURCES)!)
    expect(await ask(used)).toBe(401)
  })

  it('AU-13 one of eight that come at once passes', async () => {
    const assertion = signer()(actor, 'api-gateway')
    const statuses = await Promise.all(Array.from({ length: 8 }, () => ask(assertion)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(7)
  })

  it('AU-13 too old, of another secret, for another service, or of what was not granted', async () => {
    expect(await ask(signer()(actor, 'api-gateway'))).toBe(200)
    const refused = {
      'older than a minute': signer(undefined, 61)(actor, 'api-gateway'),
      'from the future': signer(undefined, -61)(actor, 'api-gateway'),
      'another secret': signer(randomBytes(32).toString('hex'))(actor, 'api-gateway'),
      'the other secret': signer(connector.system.config.secrets.jwtSecret)(actor, 'api-gateway'),
      'for the MCP server': signer()(actor, 'mcp-server'),
      'for deploy-api': signer()(actor, 'deploy-api'),
      'forged grant': signer()({ ...actor, grantId: 'grant_none' }, 'api-gateway'),
      'another person': signer()({ ...actor, userId: 'usr_other' }, 'api-gateway'),
      'another client': signer()({ ...actor, clientId: 'other' }, 'api-gateway'),
    }
    for (const [what, assertion] of Object.entries(refused)) expect([what, await ask(assertion)]).toEqual([what, 401])
    const wide = signer()({ ...actor, scopes: ['notifications:ack'] }, 'api-gateway')
    expect(await ask(wide)).toBe(403)
  })

  it('AU-13 people’s own tokens go on as they are', async () => {
    const { token: own } = await connector.system.member('viewer')
    recorder.seen.length = 0
    await callTool(platform, own, 'data_sources_list')
    expect(bearerIn(recorder.seen.find(({ path }) => path === SOURCES)!)).toBe(own)
  })
})
