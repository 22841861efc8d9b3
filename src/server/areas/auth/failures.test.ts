import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSupport } from '#contract/auth/support.ts'
import { createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import { testClock } from '#lib/time/clock.ts'
import { type Connector, type Person, startConnector } from '#test/agents/connector.ts'
import { sendMcp } from '#test/agents/mcp.ts'
import { type FakeKubernetes, startFakeKubernetes } from '#test/kubernetes/fake-kubernetes.ts'
import { annotations } from '#test/kubernetes/workload.ts'
import { APP, SESSION } from '#test/sign-in.ts'
import { type Mode, type System, startSystem } from '#test/system.ts'
import { makeToken } from './model/token-format.ts'

const GUESSER = '203.0.113.1'
const OTHER = '203.0.113.2'

type Path = '/api/v1/me' | '/api/wf/slim/data-sources' | '/api/v1/tokens/validate'

async function ask(system: System, path: Path, token: string, address = GUESSER): Promise<Response> {
  const forwarded = { 'x-forwarded-for': address, 'content-type': 'application/json' }
  if (path === '/api/v1/tokens/validate') {
    return fetch(`${system.url}${path}`, { method: 'POST', headers: forwarded, body: JSON.stringify({ token }) })
  }
  return fetch(`${system.url}${path}`, { headers: { ...forwarded, authorization: `Bearer ${token}` } })
}

const statusOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).status

/** Sends well-formed tokens that nobody made, until the address is told to wait. Answers how many were 401. */
async function guess(system: System, path: Path): Promise<number> {
  for (let refused = 0; refused <= 200; refused += 1) {
    const status = await statusOf(system, path, makeToken())
    if (status === 429) return refused
    expect(status).toBe(401)
  }
  throw new Error('never told to wait')
}

const PATHS: readonly Path[] = ['/api/v1/me', '/api/wf/slim/data-sources', '/api/v1/tokens/validate']

describe('AU-01 after many refused tokens from one address', () => {
  const clock = testClock(new Date())
  let c: Connector
  let cluster: FakeKubernetes
  let person: Person
  let agent: { access_token: string; clientId: string }

  beforeAll(async () => {
    cluster = await startFakeKubernetes(clock)
    c = await startConnector({ clock, env: cluster.env })
    person = await c.person('owner')
    const clientId = await c.client()
    agent = { ...(await c.connect(person, clientId)), clientId }
    for (const path of PATHS) await guess(c.system, path)
  })
  afterAll(async () => {
    await c?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  const from = (address: string) => ({ 'x-forwarded-for': address })
  const mcp = (token: string, address = GUESSER) =>
    sendMcp(`${c.system.url}/mcp/platform`, token, { headers: from(address) })
  const cookie = () => ({ cookie: `${SESSION}=${person.browser.cookie(APP, SESSION)}` })

  it.each(PATHS)(
    'the next refused token is 429 with Retry-After and says that the token is invalid: %s',
    async (path) => {
      const response = await ask(c.system, path, makeToken())
      expect(response.status).toBe(429)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
      expect(await response.json().catch(() => ({ code: 'RATE_LIMITED' }))).toMatchObject({ code: 'RATE_LIMITED' })
    },
  )

  it.each(PATHS)('a valid API token still works: %s', async (path) => {
    expect(await statusOf(c.system, path, person.token)).toBe(200)
  })

  it('a revoked or malformed token from it is 429, from another address 401', async () => {
    for (const bad of ['nonsense', 'svc_short', `${person.token.slice(0, -1)}_`]) {
      expect(await statusOf(c.system, '/api/v1/me', bad)).toBe(429)
      expect(await statusOf(c.system, '/api/v1/me', bad, OTHER)).toBe(401)
    }
  })

  it.each(['/api/v1/me', '/api/wf/slim/data-sources'])('a session still works: %s', async (path) => {
    const response = await fetch(`${c.system.url}${path}`, { headers: { ...from(GUESSER), ...cookie() } })
    expect(response.status).toBe(200)
  })

  it('a user JWT still works', async () => {
    const response = await person.browser.go(`${APP}/api/v1/sessions/token`, { json: {} })
    const { token } = (await response.json()) as { token: string }
    c.system.secrets.push(token)
    expect(await statusOf(c.system, '/api/wf/slim/data-sources', token)).toBe(200)
  })

  it('a support session still works', async () => {
    const input = { org_id: person.org_id, staff_email: 'sam@vendor.example', reason: 'ticket 7' }
    const { token } = await c.system.operator.call(startSupport, input)
    expect(await statusOf(c.system, '/api/v1/me', token)).toBe(200)
  })

  it('an MCP call with an API token still works, and one with a refused token is 429', async () => {
    expect((await mcp(person.token)).status).toBe(200)
    expect((await mcp(makeToken())).status).toBe(429)
    expect((await mcp(makeToken(), OTHER)).status).toBe(401)
  })

  it('AU-13 an agent still works, and a forged token of an agent is 429', async () => {
    expect((await mcp(agent.access_token)).status).toBe(200)
    const tampered = agent.access_token.replace(/.{4}$/, 'AAAA')
    expect((await mcp(tampered)).status).toBe(429)
    expect((await mcp(tampered, OTHER)).status).toBe(401)
  })

  it('an assertion on an agent still works, and a forged one is 429', async () => {
    const { gid: grantId } = decodeJwt<{ gid: string }>(agent.access_token)
    const claims = { grantId, userId: person.user_id, clientId: agent.clientId, scopes: ['datasources:read'] }
    const sign = createAssertionSigner(c.system.config.secrets.actorAssertionSecret!, clock)
    expect(await statusOf(c.system, '/api/wf/slim/data-sources', sign(claims, 'api-gateway'))).toBe(200)
    const forge = createAssertionSigner('ab'.repeat(32), clock)
    expect(await statusOf(c.system, '/api/wf/slim/data-sources', forge(claims, 'api-gateway'))).toBe(429)
  })

  it('a workload token still works, and a forged one is 429', async () => {
    const account = cluster.serviceAccount('org-acme', 'worker', annotations(person.org_id))
    const good = cluster.token(account)
    const forged = `${good.slice(0, good.lastIndexOf('.'))}.AAAA`
    expect(await statusOf(c.system, '/api/v1/me', forged)).toBe(429)
    expect(await statusOf(c.system, '/api/v1/me', good)).toBe(200)
  })

  it('the count starts again with the next minute', async () => {
    clock.advance(60_000)
    expect(await statusOf(c.system, '/api/v1/me', makeToken())).toBe(401)
  })

  it('AU-13 sixty forged tokens of agents a minute are 401, the next is 429 and says where to get another', async () => {
    clock.advance(60_000)
    const tampered = agent.access_token.replace(/.{4}$/, 'AAAA')
    for (let n = 0; n < 60; n++) expect((await mcp(tampered)).status).toBe(401)
    const { status, challenge } = await mcp(tampered)
    expect([status, challenge]).toEqual([
      429,
      expect.stringMatching(/^Bearer error="invalid_token", resource_metadata="https:/),
    ])
  })

  it('AU-13 a token of an agent that has ended is 401 however often it is sent, so that the agent refreshes it', async () => {
    clock.advance(11 * 60_000)
    for (let n = 0; n < 61; n++) expect((await mcp(agent.access_token)).status).toBe(401)
    // They were not counted: a refused token from the same address is not one too many.
    expect((await mcp(makeToken())).status).toBe(401)
  })
})

describe.each<Mode>(['together', 'apart'])('AU-01 sixty refused tokens a minute, with services %s,', (mode) => {
  let system: System
  beforeAll(async () => {
    system = await startSystem({ mode, env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  it('are counted for the end client, not for the service that passed them on', async () => {
    const { token } = await system.member()
    // Services apart run on the real clock, where a minute may end while guessing: sixty at least.
    expect(await guess(system, '/api/wf/slim/data-sources')).toBeGreaterThanOrEqual(60)
    expect(await statusOf(system, '/api/wf/slim/data-sources', token)).toBe(200)
    expect(await statusOf(system, '/api/wf/slim/data-sources', makeToken(), OTHER)).toBe(401)
  })
})

describe('AU-09 with a hosted auth service, which sees a whole customer as one address', () => {
  const clock = testClock(new Date())
  const stack = new AsyncDisposableStack()
  let vendor: System
  let customer: System
  beforeAll(async () => {
    vendor = stack.use(await startSystem({ clock }))
    const env = {
      AUTH_SERVICE_URL: vendor.url,
      AUTH_LOGIN_URL: 'https://auth.vendor.test',
      SVC_REDIRECT_BASE_URL: 'https://app.customer.test',
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_JWT_SECRET: '',
      SVC_JWT_SIGNING_KEY: '',
      SVC_ACTOR_ASSERTION_SECRET: '',
    }
    customer = stack.use(await startSystem({ clock, env }))
  })
  afterAll(() => stack.disposeAsync())

  it.each<Path>(['/api/wf/slim/data-sources', '/api/v1/me'])(
    'a client that guesses limits no other client: %s',
    async (path) => {
      clock.advance(60_000)
      const { token } = await vendor.member()
      expect(await guess(customer, path)).toBe(60)
      expect(await statusOf(customer, path, token)).toBe(200)
      expect(await statusOf(customer, path, token, OTHER)).toBe(200)
      expect(await statusOf(customer, path, makeToken(), OTHER)).toBe(401)
      expect(await statusOf(customer, path, makeToken())).toBe(429)
    },
  )
})
