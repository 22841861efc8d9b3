import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBothWays, type McpMessage } from '#test/agents/mcp-both-ways.ts'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const COMMON = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const ARGS = { id: 'db_docs', query: 'sick' }

type Change = { message?: object; params?: object; meta?: object | undefined; headers?: Record<string, string> }

function newest({ message, params, meta = META, headers }: Change = {}): McpMessage {
  const call = { name: 'data_source_query', arguments: ARGS, _meta: meta, ...params }
  return {
    headers: {
      ...COMMON,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': call.name,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call, ...message }),
  }
}

function earlier({ message, params, headers }: Change = {}): McpMessage {
  const call = { name: 'data_source_query', arguments: ARGS, ...params }
  return {
    headers: { ...COMMON, 'mcp-protocol-version': '2025-11-25', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call, ...message }),
  }
}

/** The answers of both ways to a message, and how often a tool was called without the library. */
async function send(message: McpMessage) {
  const both = createBothWays()
  const { byLibrary, first, again } = await both.answers(message)
  return { byLibrary, first, again, plain: both.plainCalls() }
}

const withArgs = (args: object) => ({ params: { arguments: args } })

describe('DS-23 a plain tool call is answered without the library, in the same bytes', () => {
  it.each<[string, McpMessage, number]>([
    ['an answer', newest(), 1],
    ['an answer to a text id', newest({ message: { id: 'a "quoted" id' } }), 1],
    ['without arguments', newest({ params: { name: 'data_sources_list', arguments: undefined } }), 1],
    ['an error that a model can correct', newest(withArgs({ id: 'db_missing' })), 1],
    ['an error with a time to wait', newest(withArgs({ id: 'db_busy' })), 1],
    ['a fault of ours', newest(withArgs({ id: 'db_broken' })), 1],
    ['a refusal of the token', newest(withArgs({ id: 'db_expired', query: 'q' })), 1],
    ['a path that cannot be sent', newest(withArgs({ id: 7, query: 'q' })), 1],
    ['an unknown tool', newest({ params: { name: 'nope' } }), 1],
    ['no name of the client', newest({ meta: { ...META, 'io.modelcontextprotocol/clientInfo': undefined } }), 1],
    ['a long tool', newest({ params: { name: 'function_call' } }), 1],
    ['the revision before: an answer', earlier(), 2],
    ['the revision before: an error', earlier(withArgs({ id: 'db_missing' })), 2],
    ['the revision before: a fault of ours', earlier(withArgs({ id: 'db_broken' })), 2],
    ['the revision before: a refusal of the token', earlier(withArgs({ id: 'db_expired', query: 'q' })), 2],
    ['the revision before: an unknown tool', earlier({ params: { name: 'nope' } }), 2],
  ])('%s', async (_, message, plainCalls) => {
    const { byLibrary, first, again, plain } = await send(message)
    expect(again).toEqual(byLibrary)
    expect(first).toEqual(byLibrary)
    expect(plain).toBe(plainCalls)
  })
})

describe('DS-23 every other message is left to the library', () => {
  it.each<[string, McpMessage]>([
    ['another method', newest({ message: { method: 'tools/list' }, headers: { 'mcp-method': 'tools/list' } })],
    ['no version header', newest({ headers: { 'mcp-protocol-version': '' } })],
    ['another version in the header', newest({ headers: { 'mcp-protocol-version': '2025-11-25' } })],
    ['another name in the header', newest({ headers: { 'mcp-name': 'function_call' } })],
    ['another method in the header', newest({ headers: { 'mcp-method': 'tools/list' } })],
    ['another version in the message', newest({ meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '1' } })],
    ['bad capabilities', newest({ meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': 7 } })],
    ['a batch', { ...earlier(), body: `[${earlier().body}]` }],
    ['a notification', earlier({ message: { id: undefined } })],
    ['an id that is null', newest({ message: { id: null } })],
    ['an id that is a fraction', newest({ message: { id: 1.5 } })],
    ['another JSON-RPC', newest({ message: { jsonrpc: '1.0' } })],
    ['a further key in the message', newest({ message: { extra: 1 } })],
    ['a further key in the parameters', newest({ params: { task: { ttl: 1 } } })],
    ['arguments that are a list', newest({ params: { arguments: [] } })],
    ['a name that is no text', newest({ params: { name: 7 } })],
    ['a client that accepts no stream', newest({ headers: { accept: 'application/json' } })],
    ['the revision before, accepting no stream', earlier({ headers: { accept: 'application/json' } })],
    ['another content type', newest({ headers: { 'content-type': 'text/plain' } })],
    ['the revision before with an unknown version', earlier({ headers: { 'mcp-protocol-version': '2024-01-01' } })],
    ['the revision before with a progress token', earlier({ params: { _meta: { progressToken: 1 } } })],
    ['the revision before and a long tool', earlier({ params: { name: 'function_call' } })],
    ['a body that is no object', { ...newest(), body: '"tools/call"' }],
    ['a body that is not JSON', { ...newest(), body: '{' }],
    ['a GET', { ...newest(), method: 'GET' }],
  ])('%s', async (_, message) => {
    const { byLibrary, first, again, plain } = await send(message)
    expect(again).toEqual(byLibrary)
    expect(first).toEqual(byLibrary)
    expect(plain).toBe(0)
  })

  it('a progress token of the newest revision is left to it until it has accepted the same fields once', async () => {
    const { byLibrary, again, plain } = await send(newest({ meta: { ...META, progressToken: 7 } }))
    expect([again, plain]).toEqual([byLibrary, 1])
  })
})

describe('DS-23 both ways give the same answer', () => {
  const value = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('tools/call', '2.0', 1))
  const message = fc.record({ jsonrpc: value, id: value, method: value, params: value, extra: value })
  const params = fc.record({ name: value, arguments: value, _meta: value, task: value })
  const meta = fc.record(Object.fromEntries(Object.keys(META).map((key) => [key, value])))
  const header = fc.constantFrom('', '2026-07-28', '2025-11-25', 'tools/call', 'data_source_query', '*/*')
  const headers = fc.record({
    accept: header,
    'mcp-protocol-version': header,
    'mcp-method': header,
    'mcp-name': header,
  })
  const chosen = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 3 })

  it('whatever is changed in a message', async () => {
    const changes = fc.record({
      isNewest: fc.boolean(),
      message: chosen(subset(message)),
      params: chosen(subset(params)),
      meta: chosen(subset(meta)),
      headers: chosen(subset(headers)),
    })
    await fc.assert(
      fc.asyncProperty(changes, async ({ isNewest, ...change }) => {
        const completeChange = { ...change, ...(change.meta && { meta: { ...META, ...change.meta } }) } as Change
        const { byLibrary, first, again } = await send(isNewest ? newest(completeChange) : earlier(completeChange))
        expect([first, again]).toEqual([byLibrary, byLibrary])
      }),
      { seed: 20261116, numRuns: 300 },
    )
  })
})

/** Some of the keys of a record, so that one change comes alone as well as with others. */
function subset<T extends object>(all: fc.Arbitrary<T>): fc.Arbitrary<Partial<T>> {
  return fc.tuple(all, fc.array(fc.nat(), { minLength: 1, maxLength: 2 })).map(([record, picks]) => {
    const keys = Object.keys(record) as (keyof T)[]
    return Object.fromEntries(picks.map((pick) => [keys[pick % keys.length]!, record[keys[pick % keys.length]!]]))
  }) as fc.Arbitrary<Partial<T>>
}
