import { randomBytes } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { type Audience, Principal } from '#contract/core/principal.ts'
import { listSources } from '#contract/data-sources/sources.ts'
import { ACCESS_TOKEN_TYPE } from '#edge/credentials/access-token.ts'
import { createAssertionSigner } from '#edge/credentials/actor-assertion.ts'
import { createCheckedCallers } from '#edge/fast/checked-callers.ts'
import { RequestContext, type RequestInfo } from '#edge/route/route.ts'
import { createHmacSha256 } from '#lib/crypto/hmac.ts'
import { signHs256 } from '#lib/crypto/hs256.ts'
import { systemClock } from '#lib/time/clock.ts'
import { createAgents, NO_AGENTS } from './agents.ts'
import { callService } from './call-service.ts'

const INFO: RequestInfo = { clientAddress: '203.0.113.1', requestId: 'req_1', via: 'api', direct: false }
const AGENT: Principal = {
  kind: 'agent',
  id: 'grt_1',
  user_id: 'usr_1',
  org_id: 'org_1',
  role: 'viewer',
  scopes: ['datasources:read'],
  client_id: 'client-1',
  expires_at: null,
}
const ACCESS_TOKEN = signHs256({ gid: 'grt_1' }, ACCESS_TOKEN_TYPE, createHmacSha256(randomBytes(32)))

/** Calls a tool for the principal and returns what the gateway was sent as authorization. */
async function forwarded(
  principal: Principal,
  token: string,
  agents = signingAgents(),
  audience: Audience = 'api-gateway',
) {
  const sent: (string | null)[] = []
  const call = callService({
    serviceOf: () => ({
      audience,
      send: async (request) => {
        sent.push(request.headers.get('authorization'))
        return Response.json({ items: [], next_cursor: null })
      },
    }),
    agents,
    checkedCallers: createCheckedCallers(() => 0),
    resourceOf: () => undefined,
  })
  const headers = { authorization: `Bearer ${token}` }
  const request = new Request('http://localhost/mcp/platform', { method: 'POST', headers })
  const outcome = await call(listSources, {}, new RequestContext(INFO, principal, request, 'json')).then(
    () => 'answered',
    (error: Error) => error.message,
  )
  return { sent, outcome }
}

function signingAgents() {
  const sign = createAssertionSigner(randomBytes(32).toString('hex'), systemClock)
  const unused = async () => {
    throw new Error('nobody is admitted here')
  }
  return createAgents({ read: () => 'forged', sign, validate: unused })
}

describe('AU-13 an access token of an agent is never passed on', () => {
  it.each<[string, (agent: Principal) => Principal]>([
    ['as it was admitted', (agent) => agent],
    ['spread into a new object', (agent) => ({ ...agent })],
    ['after a round trip through JSON', (agent) => JSON.parse(JSON.stringify(agent)) as Principal],
    ['cloned', (agent) => structuredClone(agent)],
    ['parsed by its schema', (agent) => Principal.parse(agent)],
  ])('the gateway gets an assertion on an agent %s', async (_, change) => {
    const { sent, outcome } = await forwarded(change(AGENT), ACCESS_TOKEN)
    expect(outcome).toBe('answered')
    const assertion = sent[0]!.replace('Bearer ', '')
    expect(decodeProtectedHeader(assertion).typ).toBe('actor+jwt')
    expect(decodeJwt(assertion)).toMatchObject({
      gid: 'grt_1',
      sub: 'usr_1',
      client_id: 'client-1',
      scope: 'datasources:read',
      aud: 'api-gateway',
    })
  })

  it('the deploy-api gets an assertion that is good for it alone', async () => {
    const { sent } = await forwarded(AGENT, ACCESS_TOKEN, signingAgents(), 'deploy-api')
    expect(decodeJwt(sent[0]!.replace('Bearer ', ''))).toMatchObject({ aud: 'deploy-api' })
  })

  it.each<[string, Partial<Principal>]>([
    ['its client', { client_id: undefined }],
    ['its person', { user_id: null }],
  ])('an agent that lost %s on the way is an error, and nothing is sent', async (_, lost) => {
    const { sent, outcome } = await forwarded({ ...AGENT, ...lost }, ACCESS_TOKEN)
    expect(outcome).toContain('does not identify an agent')
    expect(sent).toEqual([])
  })

  it('an agent that became another kind of principal on the way is an error, and nothing is sent', async () => {
    const { sent, outcome } = await forwarded({ ...AGENT, kind: 'user' }, ACCESS_TOKEN)
    expect(outcome).toBe("an agent's access token is never passed on to another service")
    expect(sent).toEqual([])
  })

  it('where agents cannot connect, an agent is an error, and nothing is sent', async () => {
    const { sent, outcome } = await forwarded(AGENT, ACCESS_TOKEN, NO_AGENTS)
    expect(outcome).toContain('agents cannot connect here')
    expect(sent).toEqual([])
  })

  it('the token of a person is passed on as it is', async () => {
    const { sent, outcome } = await forwarded({ ...AGENT, kind: 'api_token' }, 'svc_abc')
    expect([outcome, sent]).toEqual(['answered', ['Bearer svc_abc']])
  })
})
