import { expect, it } from 'vitest'
import { sendMcp } from '#test/agents/mcp.ts'
import { startFakeEmbeddings } from '#test/outside/fake-embeddings.ts'
import { startTraceCollector } from '#test/outside/trace-collector.ts'
import { makeAskable } from '#test/sources/sources.ts'
import { stores } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

const CANARY = 'where is the zebrafinch invoice'
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const AGENT_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const OUTER_SPAN = 'b7ad6b7169203331'

type Collector = Awaited<ReturnType<typeof startTraceCollector>>

async function ask(system: System, token: string): Promise<number> {
  const response = await fetch(`${system.url}/api/wf/slim/data-sources/db_docs/query`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-${OUTER_SPAN}-00`,
    },
    body: JSON.stringify({ query: CANARY }),
  })
  return response.status
}

async function askAsAgent(system: System, token: string): Promise<void> {
  const { body } = await sendMcp(`${system.url}/mcp/platform`, token, {
    method: 'tools/call',
    params: { name: 'data_source_query', arguments: { id: 'db_docs', query: CANARY } },
    headers: { traceparent: `00-${AGENT_TRACE}-${OUTER_SPAN}-00` },
  })
  expect(body).toMatchObject({ result: { structuredContent: { count: 2 } } })
}

/** On the embedded engine all services run in one process, each with its own listener. */
function processOf(service: string): string {
  return stores.postgres ? `svc-${service}` : 'svc'
}

function named(collector: Collector, name: string) {
  return collector.spans().filter((span) => span.traceId === TRACE && span.name === name)
}

it('OP-03 DS-19 a question is one trace across services, continues the trace of its caller and holds no text of it', async () => {
  await using stack = new AsyncDisposableStack()
  const collector = stack.use(await startTraceCollector())
  const fake = stack.use(await startFakeEmbeddings())
  const env = {
    SVC_TRACES_URL: collector.url,
    SVC_TRACES_HEADERS: 'x-team=platform',
    SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]),
  }
  const system = stack.use(await startSystem({ mode: 'apart', env }))
  const { token } = await system.member('viewer')

  expect(await ask(system, token)).toBe(404)
  await until(() => named(collector, 'auth-service auth.validate-token').length > 0)
  await until(() => named(collector, 'api-gateway data-sources.query').length > 0)
  const [asked] = named(collector, 'api-gateway data-sources.query')
  expect(asked).toMatchObject({ parentSpanId: OUTER_SPAN, service: processOf('api-gateway') })
  const [validated] = named(collector, 'auth-service auth.validate-token')
  expect(validated).toMatchObject({ parentSpanId: asked!.spanId, service: processOf('auth-service') })
  expect([...collector.requests]).toEqual(['POST /v1/traces platform'])

  const admin = await system.member('admin')
  await makeAskable(system.client(admin.token), 'docs')
  await askAsAgent(system, admin.token)
  const call = `call ${new URL(fake.baseUrl).host}`
  const names = ['mcp-server mcp.platform', 'api-gateway data-sources.query', call]
  // On the embedded engine all listeners share the engine, whose spans belong to the first of them.
  if (stores.postgres) names.push('search in a managed database')
  const inAgentTrace = (name: string) =>
    collector.spans().find((span) => span.traceId === AGENT_TRACE && span.name === name)
  await until(() => names.every((name) => inAgentTrace(name) !== undefined))
  const [agent, query, ...steps] = names.map((name) => inAgentTrace(name)!)
  expect(agent).toMatchObject({ parentSpanId: OUTER_SPAN, service: processOf('mcp-server') })
  expect(query).toMatchObject({ parentSpanId: agent!.spanId, service: processOf('api-gateway') })
  for (const step of steps) expect(step).toMatchObject({ parentSpanId: query!.spanId })
  const text = collector.bodies.join('\n')
  for (const secret of ['zebrafinch', token, admin.token, fake.apiKey]) expect(text).not.toContain(secret)
})

it('OP-03 DS-19 spans name search and provider, hold no text of a question, and are dropped while the collector fails', async () => {
  await using stack = new AsyncDisposableStack()
  const collector = stack.use(await startTraceCollector())
  const fake = stack.use(await startFakeEmbeddings())
  const env = { SVC_TRACES_URL: collector.url, SVC_AI_PROVIDERS: JSON.stringify([fake.provider('fake')]) }
  const system = stack.use(await startSystem({ env }))
  const { token } = await system.member('admin')
  await makeAskable(system.client(token), 'docs')

  expect(await ask(system, token)).toBe(200)
  await until(() => named(collector, 'api-gateway data-sources.query').length > 0)
  const [asked] = named(collector, 'api-gateway data-sources.query')
  for (const name of ['search in a managed database', `call ${new URL(fake.baseUrl).host}`]) {
    expect(named(collector, name)[0], name).toMatchObject({ parentSpanId: asked!.spanId })
  }
  const text = collector.bodies.join('\n')
  for (const secret of ['zebrafinch', token, fake.apiKey]) expect(text).not.toContain(secret)

  collector.state.status = 503
  const refusals = () => system.logs.filter((line) => line.includes('takes no spans'))
  expect(await ask(system, token)).toBe(200)
  await until(() => refusals().length > 0)
  const before = collector.bodies.length
  expect(await ask(system, token)).toBe(200)
  await until(() => collector.bodies.length > before)
  expect(refusals()).toHaveLength(1)
})
