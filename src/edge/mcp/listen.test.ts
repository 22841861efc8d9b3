import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import { listInbox } from '#contract/notifications/inbox.ts'
import { systemClock } from '#lib/time/clock.ts'
import { MCP_VIEWER } from '#test/agents/mcp-both-ways.ts'
import { until } from '#test/until.ts'
import { RequestContext } from '../route/route.ts'
import { OpenStreams } from '../stream/open-streams.ts'
import { createResourceTools } from './resource-tools.ts'
import { createMcpEndpoint } from './server.ts'
import { createTools } from './tools.ts'

const INFO = { clientAddress: '203.0.113.1', requestId: 'req_1', via: 'mcp', direct: false } as const
const URI = 'svc://notifications'
const BODY = {
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: {
    notifications: { resourceSubscriptions: [URI] },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: new Date('2026-06-01T12:00:00.000Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Subscribes to a resource without news. */
async function subscribe(expires_at: string | null) {
  const scopeMissing = () => new ServiceError('FORBIDDEN', 'not granted')
  const onError = (error: unknown) => expect.fail(String(error))
  const state = { isFollowed: false }
  const resource = createResourceTools(
    {
      info: { uri: URI, name: 'notifications' },
      template: { uriTemplate: `${URI}{?since}`, name: 'notifications' },
      op: listInbox,
      has: (uri) => uri === URI,
      read: async () => ({}),
      follow: async (_uri, _context, signal) => {
        state.isFollowed = true
        return {
          updates: silentUntil(signal),
          [Symbol.asyncDispose]: async () => {
            state.isFollowed = false
          },
        }
      },
    },
    { scopeMissing, onError },
  )
  const call = async () => ({})
  const tools = createTools({ name: 'svc', version: '1', operations: [], call, resource, scopeMissing, onError })
  const subscriptions = { resource, openStreams: new OpenStreams(), clock: systemClock }
  const endpoint = createMcpEndpoint({ tools, subscriptions, onError })
  const request = new Request('http://svc.test/mcp/notifications', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify(BODY),
  })
  const response = await endpoint(new RequestContext(INFO, { ...MCP_VIEWER, expires_at }, request, 'json'))
  let hasEnded = false
  const text = response.text().then((all) => {
    hasEnded = true
    return all
  })
  return { text, state, hasEnded: () => hasEnded }
}

async function* silentUntil(signal: AbortSignal): AsyncGenerator<Record<string, unknown>> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  yield* []
}

it('NO-16 a subscription ends in order when the access token that opened it expires', async () => {
  const { text, state, hasEnded } = await subscribe('2026-06-01T12:10:00.000Z')
  await vi.advanceTimersByTimeAsync(10 * 60_000 - 1)
  expect([hasEnded(), state.isFollowed]).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(1)
  expect(await text).toContain('"id":1')
  await until(() => !state.isFollowed)
})
