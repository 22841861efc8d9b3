import { ServiceError } from '#contract/core/errors.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { createMcpEndpoint, type McpEndpoint } from '#edge/mcp/server.ts'
import { createTools } from '#edge/mcp/tools.ts'
import { RequestContext } from '#edge/route/route.ts'

export type McpMessage = { readonly method?: string; readonly headers: Record<string, string>; readonly body: string }
type Answer = { status: number; headers: Record<string, string>; body: string } | { refused: string }

const INFO = { clientAddress: '203.0.113.1', requestId: 'req_1', via: 'api', direct: false } as const
export const MCP_VIEWER: Principal = {
  kind: 'user',
  id: 'usr_1',
  user_id: 'usr_1',
  org_id: 'org_1',
  role: 'viewer',
  scopes: [],
  expires_at: null,
}

/**
 * Sends messages to an endpoint that answers tool calls by itself and to one that leaves all to the library. The first
 * gets each message twice, because the first time it leaves one with unknown protocol fields to the library too.
 */
export function createBothWays(): {
  answers: (message: McpMessage) => Promise<{ byLibrary: Answer; first: Answer; again: Answer }>
  /** How many calls reached a tool without the library. */
  plainCalls: () => number
} {
  const tools = createTools({
    name: 'svc',
    version: '1.2.3',
    operations: OPERATIONS.filter((op): op is JsonOperation => op.kind === 'json' && op.tool?.endpoint === 'platform'),
    call: scripted,
    scopeMissing: () => new ServiceError('FORBIDDEN', 'not granted'),
    onError: () => undefined,
  })
  let plain = 0
  const counting: typeof tools = {
    ...tools,
    call: (...all) => {
      plain += 1
      return tools.call(...all)
    },
  }
  const onError = () => undefined
  const library = createMcpEndpoint({ tools: { build: tools.build }, onError })
  const ours = createMcpEndpoint({ tools: counting, onError })
  return {
    plainCalls: () => plain,
    answers: async (message) => ({
      byLibrary: await answerOf(library, message),
      first: await answerOf(ours, message),
      again: await answerOf(ours, message),
    }),
  }
}

/** Answers with all that tools answer with: output, errors that a model can correct, and those that it cannot. */
async function scripted(op: JsonOperation, input: Record<string, unknown>): Promise<unknown> {
  if (input.id === 'db_missing') throw new ServiceError('NOT_FOUND', 'No such data source.')
  if (input.id === 'db_busy') throw new ServiceError('RATE_LIMITED', 'Too many questions.', { retryAfterSeconds: 7 })
  if (input.id === 'db_broken') throw new Error('unexpected')
  if (input.id === 'db_expired') throw new ServiceError('INVALID_TOKEN', 'ended', { challenge: 'Bearer error="x"' })
  return { tool: op.tool!.name, input, text: 'Ärzte “quoted” \u2028 \\ 🚑', nothing: null, list: [1, 2.5, { a: [] }] }
}

async function answerOf(endpoint: McpEndpoint, { method = 'POST', headers, body }: McpMessage): Promise<Answer> {
  const request = new Request('http://svc.test/mcp/platform', {
    method,
    headers,
    ...(method !== 'GET' && { body }),
  })
  try {
    const response = await endpoint(new RequestContext(INFO, MCP_VIEWER, request, 'json'))
    const { connection: _, ...shown } = Object.fromEntries(response.headers)
    return { status: response.status, headers: shown, body: await response.text() }
  } catch (error) {
    return { refused: String(error) }
  }
}
