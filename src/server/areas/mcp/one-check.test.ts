import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { type Connector, startConnector } from '#test/agents/connector.ts'
import { callTool } from '#test/agents/mcp.ts'
import { until } from '#test/until.ts'

const clock = testClock(new Date())
const CHECKS = /^svc_request_duration_seconds_count\{.*operation="auth.validate-token".*status="200".*\} (\d+)$/gm
let c: Connector
let token: string
beforeAll(async () => {
  c = await startConnector({ clock })
  const person = await c.person()
  token = (await c.connect(person, await c.client())).access_token
})
afterAll(() => c[Symbol.asyncDispose]())

/** How often auth was asked who calls. */
async function checks(): Promise<number> {
  const headers = { authorization: `Bearer ${c.system.config.secrets.operatorToken}` }
  const text = await (await fetch(`${c.system.url}/metrics`, { headers })).text()
  return [...text.matchAll(CHECKS)].reduce((sum, match) => sum + Number(match[1]), 0)
}

it('AU-14 auth is asked once about a call of an agent whose service is in the same process', async () => {
  for (let call = 0; call < 3; call++) {
    const before = await checks()
    expect((await callTool(`${c.system.url}/mcp/platform`, token, 'data_sources_list')).status).toBe(200)
    expect((await checks()) - before).toBe(1)
  }
})

it('AU-14 auth is asked again when a second has passed before the call reaches its service', async () => {
  const before = await checks()
  const { sending, rest, answered } = startCall()
  await until(async () => (await checks()) === before + 1)
  clock.advance(1_001)
  sending.end(rest)
  expect(await answered).toMatchObject({ result: { structuredContent: { items: [] } } })
  expect((await checks()) - before).toBe(2)
})

/** Sends a call without the end of its body, which is `rest`. */
function startCall(): { sending: ClientRequest; rest: string; answered: Promise<unknown> } {
  const name = 'data_sources_list'
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: {}, _meta: META },
  })
  const sending = request(`${c.system.url}/mcp/platform`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
  })
  const answered = once(sending, 'response').then(([response]: IncomingMessage[]) => json(response!))
  sending.write(body.slice(0, 20))
  return { sending, rest: body.slice(20), answered }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
