import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { disconnectAgent, listAgents } from '#contract/auth/agents.ts'
import { type Connector, type Person, startConnector } from '#test/agents/connector.ts'
import { callTool, mcpRequest } from '#test/agents/mcp.ts'
import { until } from '#test/until.ts'

/** Older answers of auth are not handed to the service of a tool. */
const MAX_AGE_MS = 100
const CHECKS = /^svc_request_duration_seconds_count\{.*operation="auth.validate-token".*status="200".*\} (\d+)$/gm
const TOOL = 'data_sources_list'
let c: Connector
let person: Person
let token: string
beforeAll(async () => {
  c = await startConnector()
  person = await c.person()
  token = (await c.connect(person, await c.client())).access_token
})
afterAll(() => c[Symbol.asyncDispose]())

/** How often auth was asked who calls, and knew it. */
async function checks(): Promise<number> {
  const headers = { authorization: `Bearer ${c.system.config.secrets.operatorToken}` }
  const text = await (await fetch(`${c.system.url}/metrics`, { headers })).text()
  return [...text.matchAll(CHECKS)].reduce((sum, match) => sum + Number(match[1]), 0)
}

it('AU-14 auth is asked about each call of an agent, and not again by a service of the same process', async () => {
  const asksOfCall = async () => {
    const before = await checks()
    expect((await callTool(`${c.system.url}/mcp/platform`, token, TOOL)).status).toBe(200)
    return (await checks()) - before
  }
  // A process that is busy for longer than an answer of auth is good for asks twice.
  await until(async () => (await asksOfCall()) === 1)
})

it('AU-14 a call whose body comes late is refused when its approval has ended meanwhile', async () => {
  const before = await checks()
  const { body, ...rest } = mcpRequest(token, { method: 'tools/call', params: { name: TOOL, arguments: {} } })
  const headers = { ...rest.headers, 'content-length': body.length }
  const sending = request(`${c.system.url}/mcp/platform`, { ...rest, headers })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  sending.write(body.slice(0, 20))
  await until(async () => (await checks()) === before + 1)
  const admittedMs = performance.now()
  const client = c.system.client(person.token)
  const { items } = await client.call(listAgents, {})
  for (const { id } of items) await client.call(disconnectAgent, { id })
  await until(() => performance.now() - admittedMs > MAX_AGE_MS)
  sending.end(body.slice(20))
  const [response] = await answered
  response.resume()
  expect(response.statusCode).toBe(401)
})
