import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  allowAgent,
  allowMembersAgent,
  disconnectAgent,
  endAgentConnection,
  listAgents,
  revokeAgent,
} from '#contract/auth/agents.ts'
import {
  createCompanyClient,
  deleteCompanyClient,
  endCompanySignOn,
  listCompanyClients,
  readCompanySignOn,
  setCompanySignOn,
} from '#contract/auth/company-sign-on.ts'
import { testClock } from '#lib/time/clock.ts'
import { COMPANY_ENV, type Company, makeCompany } from '#test/agents/company.ts'
import { type Connector, ISSUER, PLATFORM, startConnector } from '#test/agents/connector.ts'
import { callTool } from '#test/agents/mcp.ts'
import { GENERIC_ISSUER } from '#test/outside/fake-idp.ts'

describe('AU-22 sign-on that a company controls', () => {
  const clock = testClock(new Date())
  let c: Connector
  let company: Company
  let ada: { user_id: string; token: string; email: string }
  beforeAll(async () => {
    c = await startConnector({ clock, env: COMPANY_ENV })
    company = await makeCompany(c, clock)
    ada = await company.member('ada')
  })
  afterAll(() => c?.[Symbol.asyncDispose]())

  const list = async (token: string) =>
    (await callTool(`${c.system.url}/mcp/platform`, token, 'data_sources_list', {})).status
  const connections = async () => (await c.system.client(ada.token).call(listAgents, {})).items

  it('an assertion of the provider gets a token for one endpoint, without a page and without a refresh token', async () => {
    const { status, body, headers } = await company.exchange('ada')
    expect([status, Object.keys(body).toSorted()]).toEqual([
      200,
      ['access_token', 'expires_in', 'resource', 'scope', 'token_type'],
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body.scope).toBe('datasources:read datasources:query')
    expect(decodeJwt(body.access_token!)).toMatchObject({ aud: PLATFORM, iss: ISSUER, sub: ada.user_id })
    expect(await list(body.access_token!)).toBe(200)
  })

  it('the connection is listed as made by the company, once for each agent', async () => {
    await company.exchange('ada')
    await company.exchange('ada')
    expect(await connections()).toEqual([
      expect.objectContaining({
        client_name: 'Night agent',
        vouched_by: GENERIC_ISSUER,
        ended_by: null,
        redirect_host: '',
        email: ada.email,
      }),
    ])
  })

  it('the secret can be sent in the header', async () => {
    const assertion = await c.signIn.idp.assertion(company.claims('ada'))
    const basic = Buffer.from(`${company.client_id}:${company.client_secret}`).toString('base64')
    const form = { client_id: undefined, client_secret: undefined }
    expect((await company.present(assertion, { form, authorization: `Basic ${basic}` })).status).toBe(200)
  })

  it('an assertion narrows the scopes, and so does the request', async () => {
    const narrow = await company.exchange('ada', { scope: 'datasources:read functions:call' })
    expect(narrow.body.scope).toBe('datasources:read')
    const assertion = await c.signIn.idp.assertion(company.claims('ada'))
    const asked = await company.present(assertion, { form: { scope: 'datasources:query' } })
    expect(asked.body.scope).toBe('datasources:query')
  })

  it('a token for fewer scopes takes none from another token of the same agent', async () => {
    const wide = await company.exchange('ada')
    await company.exchange('ada', { scope: 'datasources:query' })
    expect(await list(wide.body.access_token!)).toBe(200)
    expect(await connections()).toEqual([
      expect.objectContaining({ scopes: ['datasources:read', 'datasources:query'], ended_by: null }),
    ])
  })

  it('who disconnects it stays disconnected until they allow it again', async () => {
    const { body } = await company.exchange('ada')
    const client = c.system.client(ada.token)
    const [{ id } = { id: '' }] = await connections()
    await client.call(disconnectAgent, { id })
    expect(await list(body.access_token!)).toBe(401)
    const refused = await company.exchange('ada')
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(await connections()).toEqual([expect.objectContaining({ id, ended_by: 'person' })])
    await client.call(allowAgent, { id })
    expect((await company.exchange('ada')).status).toBe(200)
    await expect(client.call(allowAgent, { id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('what an admin ended only an admin allows again', async () => {
    await company.exchange('ada')
    const owner = c.system.client(company.owner.token)
    const { org_id } = company.owner
    const [{ id } = { id: '' }] = await connections()
    await owner.call(revokeAgent, { org_id, id })
    expect((await company.exchange('ada')).status).toBe(400)
    expect(await connections()).toEqual([expect.objectContaining({ id, ended_by: 'admin' })])
    await expect(c.system.client(ada.token).call(allowAgent, { id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await owner.call(allowMembersAgent, { org_id, id })
    expect((await company.exchange('ada')).status).toBe(200)
  })

  it('who ends one connection of an agent ends those to its other endpoints too, because none could be renewed', async () => {
    const second = await makeCompany(c, clock)
    const bob = await second.member('bob')
    const scopes = ['datasources:read' as const, 'notifications:read' as const]
    await c.system
      .client(second.owner.token)
      .call(setCompanySignOn, { org_id: second.owner.org_id, issuer: GENERIC_ISSUER, scopes })
    await second.exchange('bob')
    const other = await second.exchange('bob', { resource: `${ISSUER}/mcp/notifications` })
    expect(other.body.scope).toBe('notifications:read')
    const client = c.system.client(bob.token)
    const [{ id } = { id: '' }] = (await client.call(listAgents, {})).items
    expect(await client.call(endAgentConnection, { id })).toMatchObject({ connections: 2 })
    expect((await client.call(listAgents, {})).items.map(({ ended_by }) => ended_by)).toEqual(['person', 'person'])
  })

  it('new keys of the provider are found, and old ones are good no longer', async () => {
    const old = await c.signIn.idp.assertion(company.claims('ada'))
    await c.signIn.idp.rotateKey()
    clock.advance(61_000)
    expect((await company.exchange('ada')).status).toBe(200)
    expect((await company.present(old)).body.error).toBe('invalid_grant')
  })

  it('an assertion of a key that the provider withdrew is refused ten minutes later', async () => {
    expect((await company.exchange('ada')).status).toBe(200)
    const iat = Math.floor(clock.now().getTime() / 1000) + 600
    const stolen = await c.signIn.idp.assertion(company.claims('ada', { iat, exp: iat + 300 }))
    await c.signIn.idp.rotateKey()
    clock.advance(600_000)
    expect((await company.present(stolen)).body.error).toBe('invalid_grant')
    expect((await company.exchange('ada')).status).toBe(200)
  })

  it('while the provider is away the agent is told to try again', async () => {
    clock.advance(3_600_000)
    c.signIn.idp.unplug(true)
    const { status, body, headers } = await company.exchange('ada')
    c.signIn.idp.unplug(false)
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable'])
    expect(headers.get('retry-after')).not.toBeNull()
    expect((await company.exchange('ada')).status).toBe(200)
  })

  it('a change of the trust, its end, and a deleted agent end the connections at once', async () => {
    const owner = c.system.client(company.owner.token)
    const { org_id } = company.owner
    const settings = { org_id, issuer: GENERIC_ISSUER, scopes: ['datasources:read'] as const }
    const first = await company.exchange('ada')
    await owner.call(setCompanySignOn, {
      ...settings,
      scopes: ['datasources:query', 'datasources:read'],
    })
    expect(await list(first.body.access_token!)).toBe(200)
    await owner.call(setCompanySignOn, { ...settings, scopes: [...settings.scopes] })
    expect(await list(first.body.access_token!)).toBe(401)
    const second = await company.exchange('ada')
    expect(second.body.scope).toBe('datasources:read')
    expect(await owner.call(endCompanySignOn, { org_id })).toEqual({ ended: true, connections: 1 })
    expect(await list(second.body.access_token!)).toBe(401)
    expect((await company.exchange('ada')).body.error).toBe('invalid_grant')
    await owner.call(setCompanySignOn, { ...settings, scopes: [...settings.scopes] })
    const third = await company.exchange('ada')
    expect(await owner.call(deleteCompanyClient, { org_id, id: company.client_id })).toMatchObject({ connections: 1 })
    expect(await list(third.body.access_token!)).toBe(401)
    expect((await company.exchange('ada')).body.error).toBe('invalid_client')
    expect((await owner.call(listCompanyClients, { org_id })).items).toEqual([])
  })

  it('an ended connection is no longer listed when its agent is allowed no longer', async () => {
    const other = await makeCompany(c, clock)
    const carl = await other.member('carl')
    await other.exchange('carl')
    const client = c.system.client(carl.token)
    const [{ id } = { id: '' }] = (await client.call(listAgents, {})).items
    await client.call(disconnectAgent, { id })
    expect((await client.call(listAgents, {})).items).toHaveLength(1)
    const { org_id, token } = other.owner
    await c.system.client(token).call(deleteCompanyClient, { org_id, id: other.client_id })
    expect((await client.call(listAgents, {})).items).toEqual([])
  })

  it('an owner names only a provider of the installation, and scopes that agents have', async () => {
    const owner = c.system.client(company.owner.token)
    const { org_id } = company.owner
    const set = (issuer: string, scopes: string[]) =>
      owner.call(setCompanySignOn, { org_id, issuer, scopes: scopes as never })
    await expect(set('https://id.evil.test', ['datasources:read'])).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(set('https://accounts.google.com', ['datasources:read'])).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
    await expect(set(GENERIC_ISSUER, [])).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(await owner.call(readCompanySignOn, { org_id })).toMatchObject({
      available_issuers: [GENERIC_ISSUER],
      audience: ISSUER,
      token_endpoint: `${ISSUER}/oauth/token`,
    })
  })

  it('an organization can allow 50 agents', async () => {
    const owner = await c.person('owner')
    const create = () => c.system.client(owner.token).call(createCompanyClient, { org_id: owner.org_id, name: 'Agent' })
    await expect(
      (async () => {
        for (let count = 0; count <= 50; count++) {
          await create()
          if (count % 25 === 24) clock.advance(3_600_000)
        }
      })(),
    ).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

describe('AU-22 where the operator has not switched it on', () => {
  it('no assertion is taken, the metadata names none, and owners are told why', async () => {
    await using c = await startConnector()
    const owner = await c.person('owner')
    const { body } = await c.token({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x' })
    expect(body.error).toBe('unsupported_grant_type')
    const metadata = await (await fetch(`${c.system.url}/.well-known/oauth-authorization-server`)).json()
    expect(metadata).toMatchObject({
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
    })
    const input = { org_id: owner.org_id, name: 'Agent' }
    await expect(c.system.client(owner.token).call(createCompanyClient, input)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('SVC_COMPANY_SIGN_ON'),
    })
  })
})
