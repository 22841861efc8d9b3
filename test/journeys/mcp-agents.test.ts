import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Connector, type Person, PLATFORM, startConnector, type Tokens } from '#test/agents/connector.ts'
import { callTool, PLATFORM_TOOLS, sendMcp, toolNames } from '#test/agents/mcp.ts'

const NOTIFICATIONS = PLATFORM.replace('/platform', '/notifications')
const METADATA = 'https://app.example.test/.well-known/oauth-protected-resource/mcp/platform'

describe('connected agents', () => {
  let connector: Connector
  let person: Person
  let client: string
  let platform: string
  let notifications: string

  beforeAll(async () => {
    connector = await startConnector()
    person = await connector.person('admin')
    client = await connector.client()
    platform = `${connector.system.url}/mcp/platform`
    notifications = `${connector.system.url}/mcp/notifications`
  })
  afterAll(() => connector?.[Symbol.asyncDispose]())

  const connect = (scope?: string, resource = PLATFORM): Promise<Tokens> =>
    connector.connect(person, client, { resource, ...(scope && { scope }) })

  it('AU-13 DS-23 an agent lists and calls with the access token of its grant', async () => {
    const { access_token } = await connect()
    expect(await toolNames(platform, access_token)).toEqual(PLATFORM_TOOLS)
    const { body } = await callTool(platform, access_token, 'data_sources_list')
    expect(body.result!.structuredContent).toEqual({ items: [], next_cursor: null })
  })

  it('NO-13 an agent of the notifications endpoint lists what its person was told', async () => {
    const { access_token } = await connect(undefined, NOTIFICATIONS)
    expect(await toolNames(notifications, access_token)).toEqual(['notifications_list', 'notifications_ack'])
    const { body } = await callTool(notifications, access_token, 'notifications_list')
    expect(body.result!.structuredContent).toEqual({ items: [], next_cursor: null })
  })

  it('AU-13 an agent sees the tools of its scopes alone, and is told which scope another one needs', async () => {
    const { access_token } = await connect('datasources:read')
    expect(await toolNames(platform, access_token)).toEqual(['data_sources_list'])
    const { status, challenge } = await callTool(platform, access_token, 'data_source_query', { id: 'x', query: 'y' })
    expect([status, challenge]).toEqual([
      403,
      `Bearer error="insufficient_scope", resource_metadata="${METADATA}", scope="datasources:read datasources:query"`,
    ])
    const asker = await connect('datasources:query')
    expect(await toolNames(platform, asker.access_token)).toEqual(['data_source_query'])
  })

  it('AU-13 a token for one endpoint opens no other, nor the API, nor auth', async () => {
    const { access_token } = await connect()
    expect((await sendMcp(notifications, access_token)).status).toBe(401)
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await fetch(`${connector.system.url}/api/wf/slim/data-sources`, { headers })).status).toBe(401)
    expect((await fetch(`${connector.system.url}/api/v1/me`, { headers })).status).toBe(401)
    const validated = await fetch(`${connector.system.url}/api/v1/tokens/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: access_token, audience: 'mcp-server' }),
    })
    expect(validated.status).toBe(401)
  })
})
